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
