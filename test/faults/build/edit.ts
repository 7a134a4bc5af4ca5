/** One edit of a source file: `find`, which stands there exactly once, becomes `put`. */
export interface Edit {
  /** From the project's folder: `src/intents/create.ts`. */
  file: string
  find: string
  put: string
}

/** The source with the edit made. @throws {Error} where `find` does not stand exactly once: then the source has moved on, and the edit must follow. */
export function edited(source: string, { file, find, put }: Edit): string {
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has ${count} times, not once: ${find}`)
  return source.replace(find, () => put)
}
