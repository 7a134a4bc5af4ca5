/** Characters that embed, override or isolate the direction of the text after them, so that it reads differently. */
const directionControl = /[\u202A-\u202E\u2066-\u2069]/u
/** A letter, digit, punctuation mark or symbol that has a shape. Some letters and one symbol are always blank. */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Returns whether a text has 1 to `max` characters, at least one of them visible, and no line break or other control
 * character.
 */
export const isVisibleText = (text: string, max: number): boolean =>
  text.isWellFormed() &&
  Array.from(text).length <= max &&
  visible.test(text) &&
  !directionControl.test(text) &&
  !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
