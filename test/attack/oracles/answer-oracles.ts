import { apart } from './apart.ts'
import { asDescribed } from './as-described.ts'
import { enveloped } from './enveloped.ts'
import { escaped } from './escaped.ts'
import { noFault } from './no-fault.ts'
import { nothingOfInside } from './nothing-of-inside.ts'
import { createOncePerKey } from './once-per-key.ts'
import type { Oracle } from './seen.ts'
import { shutOut } from './shut-out.ts'

/** What is demanded of every answer, by name. */
export const answerOracles = (): Readonly<Record<string, Oracle>> => ({
  'no fault': noFault,
  enveloped,
  'as described': asDescribed,
  'shut out': shutOut,
  apart,
  escaped,
  'nothing of inside': nothingOfInside,
  'once per key': createOncePerKey(),
})
