// What can go wrong, in words for people.

/** Why something was not done; `hint` says what to do about it. */
export class RecallKitError extends Error {
  constructor(code, message, hint, validationErrors) {
    super(hint ? `${message}; ${hint}` : message);
    this.name = "RecallKitError";
    this.code = code;
    this.hint = hint;
    this.validationErrors = validationErrors ?? [];
  }
}
