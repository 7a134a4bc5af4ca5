/** All secrets of this run. None may appear in a log. */
export interface MadeSecrets {
  add(kind: string, text: string): void
  /** Finds secrets that the text contains as whole words, with their kinds. */
  foundIn(text: string): string[]
}

/** What may be a secret, including a phone number with its plus. A number's decimals don't match. */
const word = /[\w+.-]{4,}/g

export function createMadeSecrets(): MadeSecrets {
  const kinds = new Map<string, string>()
  return {
    add: (kind, text) => void kinds.set(text, kind),
    foundIn: (text) =>
      (text.match(word) ?? []).flatMap((each) => {
        const kind = kinds.get(each) ?? kinds.get(each.replace(/^\+|\.$/g, ''))
        return kind === undefined ? [] : [`${kind} ${each}`]
      }),
  }
}
