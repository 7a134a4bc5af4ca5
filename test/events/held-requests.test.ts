import { setKeyStatus } from '../../src/businesses/change-key.ts'
import { type ChainEnd, createChainWatch } from '../../src/events/feed/chain-watch.ts'
import { cancelIntent, createIntent, relay } from '../support/actions.ts'
import { storeOrder } from '../support/orders.ts'
import {
  type Merchant,
  tester,
  withAnotherKey,
  withSecondProcess,
  withServiceAndMerchantPerTest,
} from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

interface Response {
  status: number
  retryAfter: string | null
  items: { type: string }[] | undefined
  next: string | undefined
  error: { code: string; details?: object } | undefined
  tookMs: number
}

describe('A long-poll request for the event feed', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const other = withSecondProcess(service)
  const { abort, signal } = forEachTest()

  async function follow(query: string, as: Merchant = merchant): Promise<Response> {
    const beganAt = performance.now()
    const request = { headers: as.read(), signal: signal() }
    const response = await fetch(`${service.origin}/api/v1/dev/events/feed?${query}`, request)
    const { data, error } = (await response.json()) as { data?: Response; error?: Response['error'] }
    const { status, headers } = response
    const tookMs = performance.now() - beganAt
    return {
      status,
      retryAfter: headers.get('retry-after'),
      items: data?.items,
      next: data?.next,
      error,
      tookMs,
    }
  }
  const typesOf = ({ items }: Response) => items?.map(({ type }) => type)
  const held = (count: number) =>
    waitFor(`${count} requests are held`, () => service.deps.capacity.used().polls === count)

  it('gets a response soon after another process logs a matching event', async () => {
    const forOrders = await withAnotherKey(service, merchant, { scopes: ['store.orders:read'] })
    const all = follow('after=latest&wait=25')
    const orders = follow('after=latest&wait=25', forOrders)
    const cancelled = follow('type=payment.cancelled&wait=25')
    await held(3)
    const { referenceNumber } = await createIntent(service, merchant)
    await relay(other, merchant, other.deps)
    const loggedAt = performance.now()
    expect(typesOf(await all)).to.deep.equal(['payment.created'])
    expect(performance.now() - loggedAt).to.be.below(20_000)
    await held(2)
    await storeOrder(service, merchant)
    await relay(other, merchant, other.deps)
    expect(typesOf(await orders)).to.deep.equal(['order.new'])
    const again = follow(`wait=25&after=${(await all).next}`)
    expect(typesOf(await again), 'an event exists already').to.deep.equal(['order.new'])
    await cancelIntent(service, merchant, referenceNumber)
    await relay(other, merchant, other.deps)
    expect(typesOf(await cancelled)).to.deep.equal(['payment.cancelled'])
    await held(0)
  })

  it('gets an empty response after `wait` seconds', async () => {
    const { status, items, next, tookMs } = await follow('wait=1')
    expect([status, items]).to.deep.equal([200, []])
    expect(tookMs).to.be.at.least(990)
    await createIntent(service, merchant)
    await relay(service, merchant)
    expect(typesOf(await follow(`after=${next}`))).to.deep.equal(['payment.created'])
  })

  it('gets RATE_LIMITED while five others from its business are waiting', async () => {
    await createIntent(service, merchant)
    await relay(service, merchant)
    const neighbour = await service.merchant()
    const waiting = Array.from({ length: 5 }, () => follow('after=latest&wait=25').catch(() => null))
    await held(5)
    const { capacity } = service.deps
    await waitFor('earlier responses are sent', () => capacity.used().lists + capacity.used().memory === 0)
    expect((await service.http.get('/metrics')).text).to.include('capacity_used{limit="polls"} 5\n')
    const sixth = await follow('after=latest&wait=25')
    expect([sixth.status, sixth.retryAfter]).to.deep.equal([429, '1'])
    expect(sixth.error).to.deep.include({ code: 'RATE_LIMITED', details: { scope: 'polls', limit: 5 } })
    expect(typesOf(await follow('wait=25')), 'nothing to wait for').to.deep.equal(['payment.created'])
    waiting.push(follow('wait=25', neighbour).catch(() => null))
    await held(6)
    abort()
    expect(await Promise.all(waiting)).to.deep.equal(waiting.map(() => null))
    await held(0)
  })

  it("gets an empty response at once if all of the process's slots are in use", async () => {
    const { capacity } = service.deps
    const slots = Array.from({ length: 1000 }, (_, index) =>
      capacity.takeNow([`business ${index % 200}`], { polls: 1 }),
    )
    const { status, items, tookMs } = await follow('wait=25')
    for (const slot of slots) slot?.free()
    expect([status, items]).to.deep.equal([200, []])
    expect(tookMs).to.be.below(20_000)
    expect(capacity.used().polls).to.equal(0)
  })

  it('gets API_ACCESS_NOT_ACTIVE if its key is suspended while it waits', async () => {
    const key = await withAnotherKey(service, merchant)
    const request = follow('wait=25', key)
    await held(1)
    await setKeyStatus(service.deps, key.keyId, 'suspended', tester)
    await createIntent(service, merchant)
    await relay(service, merchant)
    const { status, error } = await request
    expect([status, error?.code]).to.deep.equal([403, 'API_ACCESS_NOT_ACTIVE'])
  })

  it("gets SERVICE_UNAVAILABLE if MongoDB doesn't respond for 8 seconds", async () => {
    const [owner, neighbour] = ['a', 'b'].map((businessId) => ({ businessId, sandbox: true }))
    if (owner === undefined || neighbour === undefined) throw new Error('unreachable')
    let elapsedMs = 0
    const reads: (readonly ChainEnd[])[] = []
    const outcomes: (() => Promise<ChainEnd[]>)[] = [
      () => Promise.reject(new Error('MongoDB is unavailable')),
      async () => [{ ...neighbour, number: 4 }],
      () => new Promise(() => undefined),
    ]
    const faults: unknown[] = []
    const watch = createChainWatch(
      (known) => {
        reads.push(known)
        return outcomes[reads.length - 1]?.() ?? Promise.reject(new Error('reads must not overlap'))
      },
      (error) => faults.push(error),
      () => elapsedMs,
    )
    const wait = (of: typeof owner) => watch.grows(of, 3, 60_000, new AbortController().signal)
    const [failing, grown] = [wait(owner).catch((error: unknown) => error), wait(neighbour)]
    expect(await grown).to.equal(true)
    expect(faults).to.have.length(1)
    const owners = reads.map((known) => known.map(({ businessId }) => businessId).join())
    expect(owners).to.deep.equal(['a,b', 'a,b'])
    await waitFor('the next read has begun', () => reads.length === 3)
    elapsedMs += 8001
    expect(await failing).to.include({ code: 'SERVICE_UNAVAILABLE' })
    const last = wait(owner)
    watch.close()
    expect(await last).to.equal(false)
    expect(await wait(owner)).to.equal(false)
  })
})

function forEachTest() {
  let stop = new AbortController()
  beforeEach(() => void (stop = new AbortController()))
  afterEach(() => stop.abort())
  return { abort: () => stop.abort(), signal: () => stop.signal }
}
