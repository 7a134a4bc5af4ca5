import type { Arrival, Call, Fault, ProviderRequest, Setting } from '../../evidence/evidence.ts'
import type { Dump } from '../documents.ts'

/** All that a round left behind, read. Calls are in the order in which they began. */
export interface Evidence {
  setting: Setting
  calls: Call[]
  arrivals: Arrival[]
  provider: ProviderRequest[]
  faults: Fault[]
  dump: Dump
  /** Lines of text that no secret may stand in: what was logged, and other collections, each with where it is from. */
  texts: () => Iterable<{ from: string; line: string }>
}
