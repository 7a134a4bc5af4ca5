import type { Judge } from '../round.ts'

/** Once nothing is wrong any more, everything comes to its end: no event waits, no money is on its way, no import is half done. */
export const quietReached: Judge = function* ({ setting, dump }) {
  if (setting.quietAt === null)
    yield { of: 'the round', says: 'never became quiet after the last fault was healed' }
  for (const says of setting.left) yield { of: 'the round', says }
  for (const { referenceNumber: of, outbox, underWay, refunds } of dump.intents) {
    if (outbox.length > 0)
      yield { of, says: `${outbox.map(({ event }) => event).join(' ')} was handed on to nobody` }
    if (underWay !== null) yield { of, says: `payment ${underWay.id} is still under way` }
    for (const { id, status } of refunds)
      if (status === 'PENDING') yield { of, says: `refund ${id} is still under way` }
  }
  for (const { number, outbox, status } of dump.orders)
    if (status === 'PLACED' && outbox.length > 0)
      yield { of: number, says: 'order.new was handed on to nobody' }
  for (const { _id: of, state } of dump.importplans)
    if (state !== 'done') yield { of, says: `an import is ${state}` }
}
