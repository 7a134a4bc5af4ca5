import type { Call } from '../../evidence/evidence.ts'
import type { Round } from '../round.ts'
import type { Request } from '../views/requests.ts'
import type { Span } from '../views/times.ts'

/** A request that was refused, and when that was decided, on the machine's clock. */
export interface Refusal {
  call: Call
  /** All its tries; null of a read. */
  request: Request | null
  /** Of a replay since its first try. */
  span: Span
}

/** Whether the refusal may be right by all that is known: what it says may have been so at some moment of the span. */
export type Reason = (round: Round, refusal: Refusal) => boolean

/** Two processes read their clocks one after the other. */
const marginMs = 1000

/** Whether that had happened by the end of the span, perhaps. */
export const mayHaveComeBy = ({ times }: Round, shown: number, span: Span): boolean =>
  shown <= span.to + times.aheadAt(span.to).to + times.skewAround(span) + marginMs

/** Whether that had happened before the span began, surely. */
export function hadCome({ times }: Round, shown: number, span: Span): boolean {
  const at = times.machineTime(shown)
  return at.to + times.skewAround(span) + times.skewAround(at) + marginMs < span.from
}

/** All bodies that were sent with its key: of each nobody knows which was judged. */
export const bodiesOf = <Body>({ call, request }: Refusal): Partial<Body>[] =>
  (request?.tries ?? [call]).map(({ body }) => (body ?? {}) as Partial<Body>)
