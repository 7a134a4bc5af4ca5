export type MadeSecrets = ReturnType<typeof createMadeSecrets>

/** What may be a secret, including a phone number with its plus. A number's decimals don't match. */
const word = /[\w+.-]{4,}/g

/** All secrets of this run. None may appear in a log. */
export function createMadeSecrets() {
  const kinds = new Map<string, string>()
  return {
    add: (kind: string, text: string) => void kinds.set(text, kind),
    /** Finds secrets that the text contains as whole words, with their kinds. */
    foundIn: (text: string): string[] =>
      (text.match(word) ?? []).flatMap((each) => {
        const kind = kinds.get(each) ?? kinds.get(each.replace(/^\+|\.$/g, ''))
        return kind === undefined ? [] : [`${kind} ${each}`]
      }),
  }
}
