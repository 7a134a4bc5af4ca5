import type { Arrival, Call, Fault, ProviderRequest, Setting, UnwantedEnd } from '../../evidence/evidence.ts'
import type { Dump } from '../documents.ts'

export interface Line {
  from: string
  line: string
}

/** All that a round left behind, read. Calls are in the order in which they began. */
export interface Evidence {
  setting: Setting
  calls: Call[]
  arrivals: Arrival[]
  provider: ProviderRequest[]
  faults: Fault[]
  ends: UnwantedEnd[]
  dump: Dump
  /** Lines of text that no secret may stand in: what was logged, and other collections, each with where it is from. */
  texts: () => Iterable<Line>
  /** Of these what was logged, by the process. */
  logs: () => Iterable<Line>
}
