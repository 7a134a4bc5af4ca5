import type { english } from './en.ts'

/**
 * The forms of a noun after the number 1, after 2, after 3 to 10, and after any other number. `#` is replaced by the
 * number.
 */
export type Forms = readonly [one: string, two: string, few: string, many: string]

/** A page's message: a heading and a sentence. */
export type Note = readonly [title: string, sentence: string]

/**
 * All texts on the hosted pages in one language. Values such as amounts and times are inserted as HTML into some texts
 * and as plain text into others. The texts themselves must therefore not contain characters that are special in HTML.
 */
export type Words = Texts<typeof english>

/** The same entries, with any texts. */
type Texts<Part> = Part extends string
  ? string
  : Part extends (...values: infer Values) => infer Text
    ? (...values: Values) => Texts<Text>
    : { [Name in keyof Part]: Texts<Part[Name]> }
