/** How many had been made before an instant (ms since 1970), counted from the first mark of its list on. */
export interface Mark {
  at: number
  made: number
}

/** How far apart marks are: as many keys of an index are counted in about a millisecond, and a million documents take 500 marks. */
export const stride = 2_000

/** Of all lists together: those of half a thousand million documents, in some 15 MB. */
export const maxCheckpoints = 250_000

/** Many times the 8 s of a request, the 5 s of a MongoDB command, and the second by which processes may disagree on the time. */
const lateAtMostMs = 300_000

/** What was made before then is in MongoDB, whoever made it, unless a process or MongoDB stood still in the midst of it. */
export const writtenBefore = (now: Date): Date => new Date(now.getTime() - lateAtMostMs)

/** Marks later than that are counted again and again: who stood still seldom goes on after more than an hour. */
const doubtedMs = 3_600_000

/** The marks that stay when the others are counted anew. What was made before `keptFrom` may be gone (null: nothing is). */
export const lasting = (marks: readonly Mark[], keptFrom: Date | null, now: Date): Mark[] =>
  marks.filter(({ at }) => at >= (keptFrom?.getTime() ?? 0) && at <= now.getTime() - doubtedMs)
