import type { SendError } from '../http/pages/page-errors.ts'
import { localeOf } from './locale.ts'
import { requestedPage, sendNote } from './respond.ts'
import type { Words } from './words/words.ts'

const noteNames: Record<number, Exclude<keyof Words['notes'], 'tooMany' | 'again'>> = {
  404: 'notFound',
  413: 'tooLarge',
  500: 'broken',
  503: 'unavailable',
}

/**
 * The waiting time that the error page shows for the status 429. One minute is the shortest time that can be shown as a
 * number, because the pages show waiting times in whole minutes.
 */
const minWaitMs = 60_000

/** Sends the error page in the customer's language, with a link that reopens the requested page. */
export const sendCheckoutError: SendError = (req, res, status) => {
  const { words, left } = localeOf(res)
  const { notes } = words
  const note = status === 429 ? notes.tooMany(left(minWaitMs)) : notes[noteNames[status] ?? 'notUnderstood']
  sendNote(res, status, note, requestedPage(req))
}
