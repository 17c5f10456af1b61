// The error class of the package.

/** Why a call failed; `hint` says what the user can do about it. */
export class RecallKitError extends Error {
  constructor(code, message, hint, validationErrors) {
    super(hint ? `${message}; ${hint}` : message);
    this.name = "RecallKitError";
    this.code = code;
    this.hint = hint;
    this.validationErrors = validationErrors ?? [];
  }
}
