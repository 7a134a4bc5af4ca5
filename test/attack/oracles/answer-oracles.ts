import type { Pools } from '../cast/pools.ts'
import { createApart } from './apart.ts'
import { asDescribed } from './as-described.ts'
import { enveloped } from './enveloped.ts'
import { escaped } from './escaped.ts'
import { noFault } from './no-fault.ts'
import { nothingOfInside } from './nothing-of-inside.ts'
import { createOncePerKey } from './once-per-key.ts'
import { readOnce } from './read-once.ts'
import type { Oracle } from './seen.ts'
import { shutOut } from './shut-out.ts'

/** What is demanded of every answer, by name. `pools` know to whom each id was given. */
export const answerOracles = (pools: Pick<Pools, 'holderOf'>): Readonly<Record<string, Oracle>> => ({
  'no fault': noFault,
  enveloped,
  'as described': asDescribed,
  'shut out': shutOut,
  apart: createApart(pools),
  escaped,
  'nothing of inside': nothingOfInside,
  'once per key': createOncePerKey(),
  'read once': readOnce,
})
