import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { groupBy } from '../../../src/polyfills/group-by.ts'

/** One edit of a source file: `find`, which stands there exactly once, becomes `put`. */
export interface Edit {
  /** From the project's folder: `src/intents/create.ts`. */
  file: string
  find: string
  put: string
  /** What `put` takes from `inside.ts`: the build imports it, once however many edits of the file want it. */
  uses?: readonly Inside[]
}

/** What `inside.ts` has to offer. */
type Inside = 'reach' | 'offsetMs'

/**
 * The texts of the files under `root` that edits change, by file; edits of one file are made in their order.
 * @throws {Error} where a `find` does not stand exactly once: then the source has moved on, and the edit must follow.
 */
export function editedFiles(root: string, edits: readonly Edit[]): Map<string, string> {
  const files = [...groupBy(edits, ({ file }) => file)]
  return new Map(
    files.map(([file, some]) => {
      const source = readFileSync(join(root, file), 'utf8')
      return [file, importing(file, some) + some.reduce(edited, source)]
    }),
  )
}

function edited(source: string, { file, find, put }: Edit): string {
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${file} has ${count} times, not once: ${find}`)
  return source.replace(find, () => put)
}

/** The first line of a source file to which these edits were made: it imports what they use; empty when that is nothing. */
function importing(file: string, edits: readonly Edit[]): string {
  const names = [...new Set(edits.flatMap(({ uses }) => uses ?? []))]
  if (names.length === 0) return ''
  const inside = posix.relative(posix.dirname(file), 'src/inside.ts')
  return `import { ${names.join(', ')} } from '${inside.startsWith('.') ? inside : `./${inside}`}'\n`
}
