import {
  encryptResponse,
  type OperationResult,
  type ThirdPartyStep,
  type WriteRequest,
} from '../../src/idempotency/request.ts'
import { createMarking, type Marking } from '../../src/intents/transition.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'

type Needs = Pick<Deps, 'now' | 'secrets'>

export function newRequest(deps: Needs, changes: Partial<WriteRequest> = {}): WriteRequest {
  const key = changes.key ?? newId()
  return {
    key,
    by: { actor: { kind: 'merchant', name: newId(), from: null }, reason: null },
    paramsHash: '',
    arrivedAt: deps.now(),
    deadlineAt: performance.now() + 60_000,
    cause: { requestId: newId(), traceparent: null },
    earlier: async () => null,
    build(data) {
      const response = { status: 200, body: Buffer.from(JSON.stringify({ success: true, data })) }
      const about = { refusal: false, paramsHash: '', at: deps.now() }
      return { response, row: encryptResponse(deps, key, response, about) }
    },
    ...changes,
  }
}

export async function dataOf(result: OperationResult): Promise<Record<string, unknown>> {
  if (result.kind === 'stored') return JSON.parse(result.response.body.toString()).data
  const { data: begun } = result
  const data = typeof begun === 'function' ? await (begun as ThirdPartyStep)((work) => work(Infinity)) : begun
  if (data instanceof Error) throw data
  return data as Record<string, unknown>
}

/** Runs an operation like a request does: after an error, what another request with its key has done counts. */
export async function finished(run: Promise<OperationResult>, find: () => Promise<OperationResult | null>) {
  try {
    return await dataOf(await run)
  } catch (error) {
    const found = await find()
    if (found === null) throw error
    return dataOf(found)
  }
}

export const newMarking = (deps: Pick<Deps, 'now' | 'secrets'>, details = {}): Marking =>
  createMarking(newRequest(deps), deps.now(), details)
