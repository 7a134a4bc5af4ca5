import type { SendError } from '../http/page-errors.ts'
import { placeOf, sendNote } from './answer.ts'
import { localeOf } from './locale.ts'
import type { Words } from './words/words.ts'

const noteNames: Record<number, Exclude<keyof Words['notes'], 'tooMany' | 'again'>> = {
  404: 'notFound',
  413: 'tooLarge',
  500: 'broken',
  503: 'unavailable',
}

/** The hosted page that tells of an error, in the customer's language, with the way to open the page again. */
export const sendCheckoutError: SendError = (req, res, status) => {
  const { notes } = localeOf(res).words
  sendNote(res, status, notes[noteNames[status] ?? 'notUnderstood'], placeOf(req))
}
