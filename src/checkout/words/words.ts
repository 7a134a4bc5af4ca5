import type { english } from './en.ts'

/** The noun after 1, after 2, after 3 to 10, and after any other number. `#` stands for the number. */
export type Forms = readonly [one: string, two: string, few: string, many: string]

export type Note = readonly [title: string, sentence: string]

/**
 * Values such as amounts and times are inserted into some texts as HTML, into others as plain text. So the texts must
 * not contain characters that are special in HTML.
 */
export type Words = Texts<typeof english>

type Texts<Part> = Part extends string
  ? string
  : Part extends (...values: infer Values) => infer Text
    ? (...values: Values) => Texts<Text>
    : { [Name in keyof Part]: Texts<Part[Name]> }
