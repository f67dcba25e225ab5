// Text from elsewhere, such as a service's or an error's, made fit for one line on a page.

const LONGEST = 300;

/**
 * A value as text without control characters, line breaks and marks that reorder text, cut to a length.
 * @param {unknown} value
 */
export const plain = (value) => `${value}`.slice(0, LONGEST).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
