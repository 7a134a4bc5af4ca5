import type { Mark } from './checkpoint.ts'
import type { Counted } from './count-span.ts'

/** Where the reading for a page begins: at what was made before `before`, null: at the newest, and how many are then passed over. */
export interface Entry {
  before: Date | null
  skip: number
}

/** The entry next to a page that so many stand in front of. */
export function entryOf({ newer, marks }: Counted, skip: number): Entry {
  const last = marks.at(-1)
  if (last === undefined) return { before: null, skip }
  const newerThan = ({ made }: Mark): number => newer + last.made - made
  const mark = marks.find((one) => newerThan(one) <= skip)
  return mark === undefined
    ? { before: null, skip }
    : { before: new Date(mark.at), skip: skip - newerThan(mark) }
}
