//! Check digits of cards, accounts and national ids.

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

/// Published test numbers, which name nobody.
const TEST_CARDS: &[&str] = &[
    "4111111111111111",
    "4242424242424242",
    "5555555555554444",
    "378282246310005",
    "4000000000000002",
    "5105105105105100",
    "4012888888881881",
    "6011111111111117",
    "371449635398431",
    "4000056655665556",
    "4000002500003155",
    "5200828282828210",
    "2223003122003222",
    "30569309025904",
    "3530111333300000",
];

/// Whether this is a payment card number that may be someone's (ISO/IEC 7812: issuer, Luhn).
pub fn is_card(text: &str) -> bool {
    let digits = digits(text);
    let number: String = digits
        .iter()
        .filter_map(|d| char::from_digit(*d, 10))
        .collect();
    let prefix = |len: usize| {
        number
            .get(..len)
            .and_then(|p| p.parse::<u32>().ok())
            .unwrap_or(0)
    };
    let known = match number.len() {
        13 | 19 => prefix(1) == 4 || prefix(2) == 62,
        15 => matches!(prefix(2), 34 | 37),
        14 => matches!(prefix(2), 36 | 38 | 39) || matches!(prefix(3), 300..=305),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 62 | 65)
                || matches!(prefix(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(prefix(3), 644..=649)
        }
        _ => false,
    };
    let varied = digits
        .windows(2)
        .filter(|pair| pair.first() != pair.last())
        .count()
        >= 5;
    known && varied && luhn(&digits) && !TEST_CARDS.contains(&number.as_str())
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            1 => digit * 2 / 10 + digit * 2 % 10,
            _ => *digit,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether this is an IBAN (ISO 13616: mod 97 is 1).
pub fn is_iban(text: &str) -> bool {
    let compact: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let (Some(head), Some(tail)) = (compact.get(..4), compact.get(4..)) else {
        return false;
    };
    if !(15..=34).contains(&compact.len()) {
        return false;
    }
    let remainder = tail.chars().chain(head.chars()).try_fold(0, |sum, c| {
        let digit = c.to_digit(36)?;
        Some((sum * if digit > 9 { 100 } else { 10 } + digit) % 97)
    });
    remainder == Some(1)
}

/// Whether this is a Chinese resident id (GB 11643: date and check character).
pub fn is_chinese_id(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let number = |from: usize, to: usize| {
        text.get(from..to)
            .and_then(|part| part.parse::<u32>().ok())
            .unwrap_or(0)
    };
    let dated = matches!(number(6, 10), 1900..=2030)
        && matches!(number(10, 12), 1..=12)
        && matches!(number(12, 14), 1..=31);
    let sum: u32 = digits(text)
        .iter()
        .zip(WEIGHTS)
        .map(|(digit, weight)| digit * weight)
        .sum();
    let expected = "10X98765432".chars().nth((sum % 11) as usize);
    dated
        && text.len() == 18
        && text.chars().next_back().map(|c| c.to_ascii_uppercase()) == expected
}

/// Whether this is a US social security number that could have been issued.
pub fn is_ssn(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['-', ' ']).collect();
    match parts.as_slice() {
        [area, group, serial] => {
            !matches!(*area, "000" | "666")
                && !area.starts_with('9')
                && *group != "00"
                && *serial != "0000"
                && !["123-45-6789", "078-05-1120", "111-22-3333"].contains(&text)
        }
        _ => false,
    }
}

/// Whether this is a Brazilian CPF (two mod 11 digits).
pub fn is_cpf(text: &str) -> bool {
    let digits = digits(text);
    let check = |len: usize| {
        let sum: u32 = digits
            .iter()
            .take(len)
            .zip((2..=len as u32 + 1).rev())
            .map(|(d, w)| d * w)
            .sum();
        sum * 10 % 11 % 10
    };
    digits.len() == 11
        && digits.windows(2).any(|pair| pair.first() != pair.last())
        && digits.get(9) == Some(&check(9))
        && digits.get(10) == Some(&check(10))
}

/// Whether this is a Spanish DNI or NIE (mod 23 letter).
pub fn is_dni(text: &str) -> bool {
    let upper = text.to_ascii_uppercase().replace('-', "");
    let number = upper
        .replacen('X', "0", 1)
        .replacen('Y', "1", 1)
        .replacen('Z', "2", 1);
    let (Some(digits), Some(letter)) = (number.get(..8), upper.chars().next_back()) else {
        return false;
    };
    digits.parse::<usize>().is_ok_and(|number| {
        number > 0 && "TRWAGMYFPDXBNJZSQVHLCKE".chars().nth(number % 23) == Some(letter)
    })
}

/// Whether digits are neither all the same nor counted up or down.
pub fn is_varied(code: &str) -> bool {
    let digits: Vec<u8> = code.bytes().filter(u8::is_ascii_digit).collect();
    let steps = |step: i16| {
        digits.windows(2).all(|pair| match pair {
            [one, next] => i16::from(*next) - i16::from(*one) == step,
            _ => false,
        })
    };
    !(digits.len() >= 4 && digits.len() == code.len() && [0, 1, -1].into_iter().any(steps))
}
