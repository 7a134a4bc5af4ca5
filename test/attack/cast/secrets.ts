/** Every secret that was made or typed in this run, to look for where none may be. */
export interface MadeSecrets {
  add(kind: string, text: string): void
  /** The kinds of those that stand in a text as words of their own. */
  foundIn(text: string): string[]
}

/** What a secret looks like in a line: a phone with its plus, a key with its underscores. A figure's decimals are no word of their own. */
const word = /[\w+.-]{4,}/g

export function createSecretsMade(): MadeSecrets {
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
