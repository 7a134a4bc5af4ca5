/**
 * The consequences of an act, in sentences. The staff pages show them before the act is confirmed, and the command
 * line shows them in its help. At least one of `closes`, `opens` and `changes` is given.
 */
export interface Effects {
  closes?: string
  opens?: string
  changes?: string
  staysOpen?: string
  /** The name of the act that reverses this one. If there is none, `undoNote` explains why. */
  undo?: string
  undoNote?: string
}

/** The names of the parts of `Effects`, in the order in which they are shown. */
const effectNames = { closes: 'Closes', opens: 'Opens', changes: 'Changes', staysOpen: 'Stays open' } as const

/** Returns the consequences, each with its name. */
export const namedEffects = (effects: Effects): [name: string, sentence: string][] =>
  Object.entries(effectNames).flatMap(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? [] : [[name, sentence]]
  })

const helpWidth = 80

/**
 * Returns the consequences and an example as a help text of the command line. `noun` and `name` are the words of the
 * command, such as `key` and `suspend`.
 */
export function effectsHelp(effects: Effects, noun: string, name: string): string {
  const { undo, undoNote } = effects
  const parts = namedEffects(effects).map(([effect, sentence]) => `\n${wrapped(`${effect}: ${sentence}`)}`)
  const last = undo === undefined ? wrapped(`Undo: ${undoNote}`) : `Undo with: ${noun} ${undo}`
  return `${parts.join('')}\n${last}\n\nExample:\n  admin ${noun} ${name} ID`
}

/** Breaks a text into lines of at most `helpWidth` characters. */
const wrapped = (text: string): string =>
  text
    .split(' ')
    .reduce<string[]>((lines, word) => {
      const last = lines.at(-1)
      const isFull = last === undefined || last.length + 1 + word.length > helpWidth
      return isFull ? [...lines, word] : [...lines.slice(0, -1), `${last} ${word}`]
    }, [])
    .join('\n')
