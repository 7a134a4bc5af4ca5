import { html } from 'ghtml'
import type { Requeued } from '../../webhooks/deliveries/requeue.ts'
import { deliveriesCounted } from './words.ts'

/** What an act came to, as it stands in the address of the page that says so: a word we know, and numbers. */
type Query = Record<string, unknown>

const ofOne: Record<Exclude<Requeued, 'not-found'>, [good: boolean, sentence: string]> = {
  requeued: [true, 'Queued: one more attempt is made now.'],
  delivered: [false, 'It was delivered already: nothing was sent.'],
  'under-way': [false, 'An attempt is under way or due already: nothing was added.'],
  'endpoint-gone': [false, 'The receiver was deleted or is switched off: nothing was sent.'],
}

/** The message about one delivery, or nothing. */
export function saidOfOne({ said }: Query): string {
  const known = typeof said === 'string' && Object.hasOwn(ofOne, said) ? said : null
  if (known === null) return ''
  const look = html`<p><a href="?">Load the page anew to see how it goes</a></p>`
  return notice(...ofOne[known as keyof typeof ofOne]) + (known === 'requeued' ? look : '')
}

/** The message about all of a receiver's, or nothing; `goOn` is the form that continues where time was up. */
export function saidOfAll(query: Query, goOn: string): string {
  if (query.said === 'endpoint-gone') return notice(...ofOne['endpoint-gone'])
  if (query.said !== 'all') return ''
  const [requeued, skipped, left] = [numberOf(query.requeued), numberOf(query.skipped), numberOf(query.left)]
  const sentence = [
    `Queued: ${deliveriesCounted(requeued)}.`,
    skipped > 0 ? `Left as they were: ${skipped}, for somebody was quicker, or the receiver is gone.` : '',
    left > 0 ? `Still left: ${left}.` : '',
  ].join(' ')
  return notice(left === 0 && requeued > 0, sentence) + (left > 0 ? goOn : '')
}

const notice = (good: boolean, sentence: string): string =>
  html`<p class="notice ${good ? 'good' : ''}" role="status">${sentence}</p>`

const numberOf = (value: unknown): number =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0
