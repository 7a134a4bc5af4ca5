/**
 * The consequences of an act, in sentences. The staff pages show them before the act is confirmed, and the command
 * line shows them in its help. At least one of `closes`, `opens` and `changes` is given.
 */
export interface Effects {
  closes?: string
  opens?: string
  changes?: string
  staysOpen?: string
  /** The name of the act that reverses this one. If it is null, `undoNote` explains why there is none. */
  undo: string | null
  undoNote?: string
}

/** The names of the parts of `Effects`, in the order in which they are shown. */
export const effectNames = {
  closes: 'Closes',
  opens: 'Opens',
  changes: 'Changes',
  staysOpen: 'Stays open',
} as const

const helpWidth = 80

/**
 * Returns the consequences as a help text of the command line. `noun` is the first word of the commands, such as `key`.
 */
export function effectsHelp(effects: Effects, noun: string): string {
  const { undo, undoNote } = effects
  const parts = Object.entries(effectNames).map(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? '' : `\n${wrapped(`${name}: ${sentence}`)}`
  })
  const last = undo === null ? wrapped(`Undo: ${undoNote}`) : `Undo with: ${noun} ${undo}`
  return `${parts.join('')}\n${last}`
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
