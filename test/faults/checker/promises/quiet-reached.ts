import type { Check, Round } from '../round.ts'

/** After the last fault all work ends: every event is relayed, and no payment or refund is open. */
export const quietReached: Check = function* (round) {
  const { setting, dump } = round
  yield* round.broken('claims end')
  if (setting.quietAt === null) yield ['the round', 'never became quiet after the last fault']
  for (const message of setting.left) yield ['the round', message]
  for (const { referenceNumber, outbox, hold, refunds } of dump.intents) {
    for (const { event } of outbox) yield [referenceNumber, `${event} is still in the outbox`]
    if (hold !== null && !isForgotten(round, hold)) yield [referenceNumber, `payment ${hold.id} is still pending`]
    for (const refund of refunds)
      if (refund.status === 'PENDING' && !isForgotten(round, refund))
        yield [referenceNumber, `refund ${refund.id} is still pending`]
  }
  for (const { number, outbox } of dump.orders)
    if (outbox.length > 0) yield [number, 'order.new is still in the outbox']
}

const dayMs = 24 * 3_600_000

/** Whether clocks jumped so far past a live order that its provider may have forgotten it. Then a person decides. */
function isForgotten({ provider, endShown }: Round, order: { id: string; validUntil: number }): boolean {
  const about = provider.filter(({ key }) => key === order.id)
  const isUnknown = about.length > 0 && about.every(({ status }) => status === 'unknown')
  return isUnknown && endShown - order.validUntil > 29 * dayMs
}

/** No part of the harness failed. */
export const roundEnded: Check = function* ({ setting }) {
  for (const message of setting.brokenOff) yield ['the round', message]
}

/** No process ended by itself or with an unexpected exit code. */
export const processLives: Check = function* ({ ends }) {
  for (const { process, at, message } of ends) yield [process, `${message}, at ${new Date(at).toISOString()}`]
}

/** No fault causes a log line at level error or fatal, or one that is not JSON. */
export const logCalm: Check = function* ({ texts }) {
  for (const { from, line } of texts())
    if (from.startsWith('log/') && (!line.startsWith('{') || /"level":"(error|fatal)"/.test(line)))
      yield [from, line.slice(0, 1500)]
}
