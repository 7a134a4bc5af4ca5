import { hostname, userInfo } from 'node:os'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { withAdmin } from '../admin/admin.ts'
import { freshDelivery, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries } from '../support/dead-deliveries.ts'
import { type Merchant, withMerchantPerTest, withServiceAndMerchantPerTest } from '../support/service.ts'

const url = 'https://shop.example/hook'

describe('npm run admin -- deliveries requeue', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const cli = withAdmin(service)
  const other = withMerchantPerTest(service)
  let endpointId: string
  beforeEach(async () => {
    endpointId = (await subscribe(service, merchant, url)).id
    await subscribe(service, other, url)
  })
  const requeue = async (...args: string[]): Promise<unknown> => cli.done('deliveries', 'requeue', ...args)
  const dead = (count: number, as = merchant) => deadDeliveries(service, as, count)
  const countOf = (as: Merchant, status: Delivery['status']) =>
    service.deps.Delivery.countDocuments({ businessId: as.businessId, status })
  const trailOf = (as: Merchant) =>
    service.deps.AuditEvent.find({ businessId: as.businessId, act: 'delivery.requeued' }).lean()

  it("re-queues one endpoint's dead deliveries, 250 per second, or only counts them with --dry-run", async () => {
    await Promise.all([dead(1_100), dead(3, other)])
    const none = { requeued: 0, skipped: {} }
    expect(await requeue('--endpoint', endpointId, '--dry-run')).to.deep.equal({ matched: 1_100, ...none })
    expect(await countOf(merchant, 'DEAD')).to.equal(1_100)
    const done = { matched: 1_100, requeued: 1_100, skipped: {} }
    const beganAt = performance.now()
    expect(await requeue('--endpoint', endpointId)).to.deep.equal(done)
    expect(performance.now() - beganAt).to.be.greaterThan(4000)
    expect(await countOf(merchant, 'RETRYING')).to.equal(1_100)
    const [line, ...others] = await trailOf(merchant)
    expect(others).to.have.length(1_099)
    const actor = { kind: 'operator', name: userInfo().username, from: hostname() }
    expect(line).to.deep.include({ act: 'delivery.requeued', actor })
    expect(await countOf(other, 'DEAD')).to.equal(3)
  })

  it('selects deliveries by business and time of death', async () => {
    const [first, second, third] = await dead(3)
    await dead(3, other)
    const [from, to] = [first?.deadAt, second?.deadAt].map((at) => at?.toISOString() ?? '')
    const span = ['--from', String(from), '--to', String(to), '--business', merchant.businessId]
    expect(await requeue(...span)).to.include({ matched: 2, requeued: 2 })
    expect(await storedDelivery(service, third ?? expect.fail())).to.include({ status: 'DEAD', requeues: 0 })
    expect(await countOf(other, 'DEAD')).to.equal(3)
    const cancelled = { $set: { status: 'CANCELLED', deadAt: null } } as const
    await service.deps.Delivery.updateMany({ businessId: other.businessId }, cancelled)
    expect(await requeue('--business', other.businessId, '--status', 'CANCELLED')).to.include({ requeued: 3 })
  })

  it("reports deliveries that can't be re-queued because their endpoint is disabled", async () => {
    await dead(2)
    await service.deps.Endpoint.updateOne({ _id: endpointId }, { active: false })
    const { exitCode, stdout, stderr } = await cli.admin(['deliveries', 'requeue', '--endpoint', endpointId])
    await service.deps.Endpoint.updateOne({ _id: endpointId }, { active: true })
    expect([exitCode, stdout]).to.deep.equal([1, 'matched: 2\nrequeued: 0\nskipped: endpoint_gone 2\n'])
    expect(stderr).to.include('2 deliveries not re-queued: the endpoint is deleted or not active.')
  })

  it('selects deliveries by id in any status, and says why it skipped some', async () => {
    const [one, two] = await dead(2)
    const fresh = await freshDelivery(service, merchant)
    const delivered = { $set: { status: 'DELIVERED', deadAt: null } } as const
    await service.deps.Delivery.updateOne({ _id: two?._id ?? '' }, delivered)
    const ids = [one, two, fresh].map((each) => each?._id ?? '')
    const command = ['deliveries', 'requeue', '--id', ...ids]
    const unknown = await cli.admin([...command, 'unknown', '--json'])
    expect([unknown.exitCode, unknown.stdout]).to.deep.equal([1, ''])
    expect(unknown.stderr).to.equal('There is no delivery unknown.\n')
    expect(await countOf(merchant, 'DEAD')).to.equal(1)
    const { exitCode, stdout, stderr } = await cli.admin(command)
    expect(exitCode).to.equal(0)
    expect(stdout).to.match(
      /^matched: 3\nrequeued: 1\nskipped: (delivered 1, under_way 1|under_way 1, delivered 1)\n$/,
    )
    expect(stderr).to.equal('')
    const again = await cli.admin([...command.slice(0, 3), two?._id ?? '', '--json'])
    expect([again.exitCode, JSON.parse(again.stdout).requeued]).to.deep.equal([1, 0])
    expect(again.stderr).to.equal(
      'No delivery was re-queued: the endpoint has accepted the delivery in the meantime.\n',
    )
  })

  it('reports an invalid option and exits with a non-zero code', async () => {
    const wrong: [about: RegExp, ...args: string[]][] = [
      [/one of --id, --endpoint, --business, --from and --to is required/, '--dry-run'],
      [/CANCELLED needs --id/, '--status', 'CANCELLED', '--from', '2026-01-01'],
      [/--from must not be later than --to/, '--from', '2026-01-02', '--to', '2026-01-01'],
    ]
    const nowhere = { MONGODB_URL: 'mongodb://127.0.0.1:1/x' }
    const [unknownEndpoint, ...outcomes] = await Promise.all([
      cli.admin(['deliveries', 'requeue', '--endpoint', 'unknown']),
      ...wrong.map(([, ...args]) => cli.admin(['deliveries', 'requeue', ...args], nowhere)),
    ])
    const message = 'There is no endpoint unknown.\n'
    expect(unknownEndpoint).to.deep.equal({ exitCode: 1, stdout: '', stderr: message })
    outcomes.forEach(({ exitCode, stdout, stderr }, index) => {
      expect([exitCode, stdout], String(wrong[index])).to.deep.equal([1, ''])
      expect(stderr).to.match(wrong[index]?.[0] ?? /never/)
    })
  })
})
