import type { Benchmark } from './benchmark.ts'
import { capacity } from './capacity.ts'
import { cleanUp } from './clean-up.ts'
import { create, createsWithQuotas } from './create.ts'
import { createCost } from './create-cost.ts'
import { deliver, relayCost } from './deliver.ts'
import { endToEnd, latency } from './end-to-end.ts'
import { exportPayments } from './export.ts'
import { cancel, get } from './get-and-cancel.ts'
import { hanging } from './hanging.ts'
import { list, lists } from './lists.ts'
import { network } from './network.ts'
import { noisy } from './noisy.ts'
import { pay } from './pay.ts'
import { replayBeside } from './replay-beside.ts'
import { slowEndpoint } from './slow-endpoint.ts'
import { storm } from './storm.ts'
import { withoutRedis } from './without-redis.ts'

export const benchmarks: Record<string, Benchmark> = {
  create,
  quotas: createsWithQuotas,
  get,
  cancel,
  pay,
  deliver,
  'end-to-end': endToEnd,
  list,
  latency,
  storm,
  'clean-up': cleanUp,
  lists,
  network,
  noisy,
  hanging,
  'replay-beside': replayBeside,
  'slow-endpoint': slowEndpoint,
  'without-redis': withoutRedis,
  'create-cost': createCost,
  'relay-cost': relayCost,
  export: exportPayments,
  capacity,
}
