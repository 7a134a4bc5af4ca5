import type { Judge, Round } from '../round.ts'

/** Once nothing is wrong any more, everything comes to its end: no event waits, no money is on its way, no import is half done. */
export const quietReached: Judge = function* (round) {
  const { setting, dump } = round
  if (setting.quietAt === null)
    yield { of: 'the round', says: 'never became quiet after the last fault was healed' }
  for (const says of setting.left) yield { of: 'the round', says }
  for (const { referenceNumber: of, outbox, hold, refunds } of dump.intents) {
    if (outbox.length > 0)
      yield { of, says: `${outbox.map(({ event }) => event).join(' ')} was handed on to nobody` }
    if (hold !== null && !isForgotten(round, hold))
      yield { of, says: `payment ${hold.id} is still under way` }
    for (const refund of refunds)
      if (refund.status === 'PENDING' && !isForgotten(round, refund))
        yield { of, says: `refund ${refund.id} is still under way` }
  }
  for (const { number, outbox, status } of dump.orders)
    if (status === 'PLACED' && outbox.length > 0)
      yield { of: number, says: 'order.new was handed on to nobody' }
  for (const { _id: of, state } of dump.importplans)
    if (state !== 'done') yield { of, says: `an import is ${state}` }
}

const dayMs = 24 * 3_600_000

/** Clocks were set so far past a live order, before anybody could be sure of it, that its provider may have forgotten it: then a person is to decide. */
function isForgotten({ provider, endShown }: Round, order: { id: string; validUntil: number }): boolean {
  const asked = provider.filter(({ key }) => key === order.id)
  const isUnheard = asked.length > 0 && asked.every(({ status }) => status === 'unknown')
  return isUnheard && endShown - order.validUntil > 29 * dayMs
}
