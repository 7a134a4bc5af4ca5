import { startRedis } from '../../dev/servers.ts'
import { callBoard } from '../admin/board-call.ts'
import { signedIn, type Visitor } from '../admin/staff.ts'
import { deadlineMs } from '../support/machine.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'

describe('Bull Board with an unreliable Redis', () => {
  const redis = withServer(startRedis)
  let staff: Visitor
  const service = withService(() => ({ REDIS_URL: redis.url }))
  before(async () => void (staff = await signedIn(service, 'support')))
  const listing = () => callBoard(service, staff, 'get', '/api/queues')
  async function expectError(): Promise<void> {
    expect((await callBoard(service, staff, 'get', '')).status).to.equal(200)
    const retryAll = () => callBoard(service, staff, 'put', '/api/queues/webhook-delivery/retry/failed')
    for (const call of [listing, retryAll]) {
      const startedAt = performance.now()
      const { status, body } = await call()
      expect([status, body.error]).to.deep.equal([503, 'Redis is not responding'])
      expect(performance.now() - startedAt).to.be.below(2_000 + deadlineMs(2_000))
    }
    const { status } = await service.http.get('/healthz')
    expect(status).to.equal(200)
  }

  const failures = {
    'as down if it was down from the start': 'SIGKILL',
    'as down if it goes down later': 'SIGKILL',
    'as down while it is unresponsive': 'SIGSTOP',
  } as const
  for (const [what, signal] of Object.entries(failures))
    it(`reports Redis ${what}`, async () => {
      await redis.kill(signal)
      await expectError()
      await (signal === 'SIGSTOP' ? redis.kill('SIGCONT') : redis.restart())
      await waitFor('the list', async () => (await listing()).status === 200)
    })

  it('returns 400 for a page number above 1000000', async () => {
    const { status, body } = await callBoard(service, staff, 'get', '/api/queues?page=1e18')
    expect([status, body.error]).to.deep.equal([400, 'There is no page after 1000000'])
  })
})
