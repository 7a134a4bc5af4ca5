/** Every secret of this run. None may appear in a log. */
export interface MadeSecrets {
  add(kind: string, text: string): void
  /** The secrets that a text contains as whole words, with their kinds. */
  foundIn(text: string): string[]
}

/** A possible secret, such as a phone number with its plus. The decimals of a number do not match. */
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
