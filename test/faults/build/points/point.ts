import type { Edit } from '../edit.ts'

/** A named point between two steps of an operation, at which a process of a test build can be told to die or to stop (inside.ts). */
export interface Point {
  /** The operation, and what was done last, or what comes next: `create.inserted`, `create.before-insert`. */
  name: string
  /** Where it is passed: of what both do, where more often. */
  process: 'web' | 'worker'
  edits: Edit[]
}

type Placing = (process: Point['process'], file: string) => (name: string, line: string) => Point

/** Points right before lines of a file; `line` is a line, or enough of one to be found by, from its first word on. */
export const before: Placing = (process, file) => (name, line) => ({
  name,
  process,
  edits: [{ file, find: line, put: `${reached(name)}; ${line}`, uses: ['reach'] }],
})

/** Points right after lines of a file; `line` is a whole statement. */
export const after: Placing = (process, file) => (name, line) => ({
  name,
  process,
  edits: [{ file, find: line, put: `${line}; ${reached(name)}`, uses: ['reach'] }],
})

/** A point in an expression that is no statement: `put` is what becomes of it, where `REACH` is the point. */
export const within =
  (process: Point['process'], file: string) =>
  (name: string, find: string, put: string): Point => ({
    name,
    process,
    edits: [{ file, find, put: put.replace('REACH', () => reached(name)), uses: ['reach'] }],
  })

const reached = (name: string): string => `reach('${name}')`
