import { html } from 'ghtml'
import type { Requeued } from '../../webhooks/deliveries/requeue-plan.ts'
import { entryNamed } from './query.ts'
import { deliveriesCounted } from './words.ts'

/**
 * The query parameters of a page that is shown after a re-queue. They contain the result and the counts of the
 * re-queue.
 */
type Query = Record<string, unknown>

const ofOne: Record<Exclude<Requeued, 'not-found'>, [good: boolean, sentence: string]> = {
  requeued: [true, 'Re-queued. The next attempt starts now.'],
  delivered: [false, 'This delivery was already delivered, so it was not re-queued.'],
  'under-way': [false, 'An attempt is already due or in progress, so the delivery was not re-queued.'],
  'endpoint-gone': [
    false,
    'The endpoint is deleted or disabled, so nothing was re-queued. If it is disabled, the merchant must enable it first.',
  ],
}

/**
 * Returns the notice to show after an attempt to re-queue one delivery. Returns an empty string if the query contains
 * no result.
 */
export function requeueNotice({ result }: Query): string {
  const words = entryNamed(ofOne, result)
  if (words === undefined) return ''
  const reload = html`<p><a href="?">Reload the page to see the result</a></p>`
  return notice(...words) + (result === 'requeued' ? reload : '')
}

/**
 * Returns the notice to show after an endpoint's deliveries were re-queued. Returns an empty string if the query
 * contains no result. If some deliveries remain, `continueLink` follows, the link to the page that re-queues them.
 */
export function requeueAllNotice(query: Query, continueLink: string): string {
  if (query.result !== 'all') return ''
  const [requeued, skipped, left] = [numberOf(query.requeued), numberOf(query.skipped), numberOf(query.left)]
  const sentence = [
    `Re-queued: ${deliveriesCounted(requeued)}.`,
    skipped > 0
      ? `Skipped: ${skipped}, because they were delivered or re-queued in the meantime, or the endpoint is gone.`
      : '',
    left > 0 ? `Remaining: ${left}.` : '',
  ].join(' ')
  return notice(left === 0 && requeued > 0, sentence) + (left > 0 ? continueLink : '')
}

const notice = (good: boolean, sentence: string): string =>
  html`<p class="notice ${good ? 'good' : ''}" role="status">${sentence}</p>`

const numberOf = (value: unknown): number => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0)
