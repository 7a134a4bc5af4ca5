import type { Model } from 'mongoose'

/** What a tally, and the page of a list, needs of a document. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** What is counted: all that an index has under `where`; after that the index goes on with time and id. */
export interface Countable {
  /** Names it in its process: whose it is, in which environment, and of which kind. */
  key: string
  model: Model<Listed>
  index: string
  where: Record<string, unknown>
  /** What was made before then may have been taken away; null: all stays. */
  keptFrom: Date | null
  /** Of what was made before then, nothing comes any more and nothing leaves `where`. */
  settledBefore(): Promise<Date>
}

/** How many had been made before an instant (ms since 1970), counted from the first mark of its tally on. */
export interface Mark {
  at: number
  made: number
}

/** Marks in what changes no more, oldest first, each some documents further on. Never empty. */
export interface Tally {
  marks: Mark[]
  /** By the clock that nobody sets. */
  begunAtMs: number
}

/** A request gives up after 8 s, a call of MongoDB after 5 s, and clocks are within a second of one another: many times all that. */
const lateAtMostMs = 300_000

/** What was made before then is in MongoDB, whoever made it. */
export const writtenBefore = (now: Date): Date => new Date(now.getTime() - lateAtMostMs)

/** The clocks of two processes, many times. */
const marginMs = 60_000

/** What test keys made before then the clean-up may have taken away. */
export const testsKeptFrom = (now: Date, retentionMs: number): Date =>
  new Date(now.getTime() - retentionMs + marginMs)

/** How far apart marks are: as many keys of an index are counted in about a millisecond, and a million take 16 KB. */
export const stride = 2_000

/** A tally that has counted nothing yet. What may go already stays in front of it, and is counted each time. */
export const newTally = ({ keptFrom }: Countable, nowMs: number): Tally => ({
  marks: [{ at: keptFrom?.getTime() ?? 0, made: 0 }],
  begunAtMs: nowMs,
})
