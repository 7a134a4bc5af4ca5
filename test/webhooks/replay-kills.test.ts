import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import { type LeasedReplay, runReplay } from '../../src/replays/run.ts'
import { planReplay, startReplay } from '../../src/replays/start.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { attempt, createIntent, recordRecentSuccess, storedDelivery, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { killAtEveryStep } from '../support/kill-at-every-step.ts'
import { logEvents, storeDeliveries, storedReplay } from '../support/replays.ts'
import { tester, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

interface Case {
  replayId: string
  /** Ids of a delivery that doesn't exist, one that is DEAD and one that is DELIVERED. */
  ids: string[]
}

describe('An event replay whose worker is killed between any two steps', () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  async function prepare(): Promise<Case> {
    const { deps, clock } = service
    const merchant = await service.merchant()
    const { referenceNumber } = await createIntent(service, merchant)
    const { id } = await subscribe(service, merchant, endpointServer.url)
    await recordRecentSuccess(service, id)
    const endpoint = await deps.Endpoint.findById(id).orFail().lean()
    const at = clock.now()
    const logged = ([undefined, 'DEAD', 'DELIVERED'] as const).map((state) => ({
      event: 'payment.created' as const,
      at,
      ...(state === undefined ? {} : { state }),
    }))
    const eventIds = await logEvents(service, merchant, referenceNumber, logged)
    await storeDeliveries(service, endpoint, eventIds, logged)
    const request = { from: at, to: null, events: null, onlyUndelivered: false }
    const { _id: replayId } = await startReplay(deps, await planReplay(deps, endpoint, request), tester)
    return { replayId, ids: eventIds.map((eventId) => makeDeliveryId(eventId, id)) }
  }

  /** Carries out this replay if it is due. A worker might choose another case's replay. */
  async function carryOut(deps: Deps, { replayId }: Case): Promise<void> {
    const now = deps.now()
    const leased = await deps.Replay.findOneAndUpdate(
      { _id: replayId, running: true, nextRunAt: { $lte: now } },
      { $set: { leaseToken: newId(), nextRunAt: new Date(now.getTime() + 10_000) } },
      { returnDocument: 'after' },
    ).lean<LeasedReplay | null>()
    if (leased === null) return
    deps.slots.open()
    await runReplay(deps, leased, new AbortController().signal)
    await deps.backgroundWork.ended()
  }

  /** On a busy machine, a worker releases the replay before it has ended. */
  const finish = (deps: Deps, each: Case): Promise<unknown> =>
    waitFor('the end of the replay', async () => {
      await carryOut(deps, each)
      return (await storedReplay(service, each.replayId)).status === 'DONE'
    })

  it('is completed by another worker, which re-queues no delivery twice', async () => {
    const steps = await killAtEveryStep<Case>(service, {
      prepare,
      run: (victim, each) => finish(victim.deps, each),
      async repeat(each) {
        await finish(service.deps, each)
        await Promise.all(each.ids.map((id) => attempt(service.deps, id)))
      },
      async check({ replayId, ids }, label) {
        const stored = await Promise.all(ids.map((_id) => storedDelivery(service, { _id })))
        const states = stored.map((each) => `${each.status} ${each.requeues} ${each.insertedBy}`)
        const sentAgain = 'DELIVERED 1 undefined'
        expect(states, label).to.deep.equal([`DELIVERED 0 ${replayId}`, sentAgain, sentAgain])
        const { status, total, requeued, created, skipped } = await storedReplay(service, replayId)
        expect([status, [total, requeued, created, skipped]], label).to.deep.equal(['DONE', [3, 2, 1, 0]])
      },
    })
    expect(steps).to.include.members(['mongodb insert', 'mongodb update', 'mongodb findAndModify'])
  })
})
