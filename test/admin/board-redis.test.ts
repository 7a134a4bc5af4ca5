import { expect } from 'chai'
import { startRedis } from '../../dev/servers.ts'
import { withService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { withServer } from '../support/with.ts'
import { callBoard } from './board-call.ts'
import { signedIn, type Visitor } from './staff.ts'

describe('Bull Board without Redis', function () {
  this.timeout(30_000)
  const redis = withServer(startRedis)
  let staff: Visitor
  const service = withService(() => ({ REDIS_URL: redis.url }))
  before(async () => {
    staff = await signedIn(service, 'support')
  })

  const listing = () => callBoard(service, staff, 'get', '/api/queues')

  /** The page opens, its list and its acts say in words what is wrong, soon, and `web` serves on. */
  async function expectWordsSoon(): Promise<void> {
    expect((await callBoard(service, staff, 'get', '')).status).to.equal(200)
    for (const ask of [
      listing,
      () => callBoard(service, staff, 'put', '/api/queues/webhook-delivery/retry/failed'),
    ]) {
      const startedAt = performance.now()
      const { status, body } = await ask()
      expect([status, body.error]).to.deep.equal([503, 'Redis is not responding'])
      expect(performance.now() - startedAt).to.be.below(4_000)
    }
    const { status } = await service.http.get('/healthz')
    expect(status).to.equal(200)
  }

  const heals = () => until('the list is there again', async () => (await listing()).status === 200)

  it('not there from the start: says so, and works once it comes', async () => {
    await redis.kill('SIGKILL')
    await expectWordsSoon()
    await redis.restart()
    await heals()
  })

  it('gone after it was there: the same', async () => {
    await redis.kill('SIGKILL')
    await expectWordsSoon()
    await redis.restart()
    await heals()
  })

  it('there: a page that it cannot count to is the fault of who asks', async () => {
    const { status, body } = await callBoard(service, staff, 'get', '/api/queues?page=1e18')
    expect([status, body.error]).to.deep.equal([400, 'There is no page after 1000000'])
  })

  it('frozen: the same', async () => {
    await redis.kill('SIGSTOP')
    await expectWordsSoon()
    await redis.kill('SIGCONT')
    await heals()
  })
})
