import { expect } from 'chai'
import { type ServiceProcess, startProcessOf } from '../../support/processes.ts'
import { openService, type Service } from '../../support/service.ts'
import { clock } from './clock.ts'
import { points } from './points.ts'
import { buildWith } from './test-build.ts'

/** Where the steps of an operation are. */
const places: Record<string, RegExp> = {
  write: /^src\/http\/operations\/(run-operation|idempotency)\.ts$/,
  create: /^src\/(intents\/create|http\/operations\/idempotency)\.ts$/,
  cancel: /^src\/intents\/cancel\.ts$/,
  relay: /^src\/outbox\/relay\.ts$/,
  deliver: /^src\/webhooks\/attempts\/attempt\.ts$/,
  wake: /^workers\/webhook-delivery\.ts$/,
  job: /^workers\/run\/run-job\.ts$/,
  pay: /^src\/intents\/payments\//,
  simulate: /^src\/intents\/payments\//,
  wallet: /^src\/wallets\/sandbox\//,
  outcome: /^src\/intents\/query-wallets\.ts$/,
  refund: /^src\/intents\/refunds\//,
  expire: /^src\/intents\/expire\.ts$/,
  poll: /^workers\/run\/poll\.ts$/,
  requeue: /^src\/webhooks\/deliveries\/requeue\.ts$/,
  audit: /^src\/audit\//,
  order: /^src\/store\/orders\//,
  stock: /^src\/store\/stock\//,
  import: /^src\/store\/imports\//,
  'clean-up': /^src\/retention\//,
}

const operationOf = (name: string): string => name.slice(0, name.indexOf('.'))

describe('The named points of a test build', function () {
  this.timeout(60_000)
  let service: Service
  let web: ServiceProcess | undefined
  before(async () => {
    service = await openService()
  })
  after(async () => {
    await web?.stop()
    await service.close()
  })

  it('have names of their own, and stand where their operation is', () => {
    const names = points.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    const astray = points.flatMap(({ name, edits }) =>
      edits
        .filter(({ file }) => !places[operationOf(name)]?.test(file))
        .map(({ file }) => `${name}: ${file}`),
    )
    expect(astray).to.deep.equal([])
    expect([...new Set(names.map(operationOf))]).to.have.members(Object.keys(places))
  })

  it('are all in one build that serves, and kill it where and when they are told to', async () => {
    const build = buildWith([...clock, ...points.flatMap(({ edits }) => edits)])
    web = await startProcessOf(build, 'web', service, { FAULT_POINTS: 'create.inserted:2:kill' })
    const merchant = await service.merchant()
    const create = (origin: string, key: string) =>
      fetch(`${origin}/api/v1/dev/intents`, {
        method: 'POST',
        headers: { ...merchant.write(key), 'Content-Type': 'application/json' },
        body: JSON.stringify({ amount: 50_000 }),
      })
    expect((await create(web.origin, 'first')).status).to.equal(201)
    expect(await create(web.origin, 'second').catch(() => 'died')).to.equal('died')
    expect(await web.ended).to.equal(null)
    expect(web.lastWords()).to.include('{"msg":"fault.point","point":"create.inserted","deed":"kill",')
    const again = await create(service.origin, 'second')
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(2)
  })
})
