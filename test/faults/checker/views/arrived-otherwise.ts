import type { Arrival, Call } from '../../evidence/evidence.ts'
import type { Round } from '../round.ts'
import { dataOf } from './answers.ts'
import { beginningsOf } from './beginnings.ts'
import { endpointOfDelivery } from './delivery-ids.ts'
import { groupsOf } from './groups.ts'
import { endpointIn } from './subscriptions.ts'

interface Told {
  event: string
  sandbox: boolean
  reference: string
}

/** What a body says of itself; one that is none says nothing. */
function toldIn(body: string): Told {
  try {
    const { event, sandbox, data } = JSON.parse(body)
    return { event: String(event), sandbox: sandbox === true, reference: String(data?.reference_number) }
  } catch {
    return { event: '', sandbox: false, reference: '' }
  }
}

/** The endpoint and the event of an arrival whose delivery is not in MongoDB, by its own words. */
export const namedIn = (id: string, body: string): { endpointId: string; event: string } => ({
  endpointId: endpointOfDelivery(id),
  event: toldIn(body).event,
})

/** The samples that a test sends are of no payment and of no order. */
const isSample = (reference: string): boolean => /^(?:PI|OR)-TEST0+$/.test(reference)

/**
 * Says of an arrival whose delivery is not in MongoDB whether it may be: somebody asked for a test of that endpoint with that event before it came, and
 * was answered its id or nothing; or it tells of something so old that the clean-up may have taken both.
 */
export function arrivedOtherwise(round: Round): (id: string, arrival: Arrival) => boolean {
  const tests = round.calls.filter(({ what, actor }) => what === 'endpoint.test' && actor === 'merchant')
  const byEndpoint = groupsOf(tests, (call) => endpointIn(call) ?? '')
  const beginnings = beginningsOf(round)
  // What nobody was ever shown may be as old as the round.
  const oldest = round.setting.beganAt + round.times.aheadAt(round.setting.beganAt).from
  return (id, { at, body }) => {
    const { event, sandbox, reference } = toldIn(body)
    if (isSample(reference))
      return (byEndpoint.get(endpointOfDelivery(id)) ?? []).some((call) => mayHaveSent(call, id, event, at))
    return round.mayBeCleaned({ sandbox, createdAt: beginnings.get(reference) ?? oldest })
  }
}

function mayHaveSent(call: Call, id: string, event: string, at: number): boolean {
  const answered = dataOf<{ deliveryId?: string }>(call)?.deliveryId
  const isAsked = (call.body as { event?: string } | null)?.event === event
  return isAsked && call.began <= at && (call.status === null || call.status >= 500 || answered === id)
}
