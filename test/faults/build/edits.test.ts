import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sendJson } from '../../support/actions.ts'
import { buildWith } from '../../support/edited-build/test-build.ts'
import { type ServiceProcess, startProcessOf } from '../../support/processes.ts'
import { withService } from '../../support/service.ts'
import { harnessEdits } from './edits.ts'

describe('A test build with fault points', () => {
  const service = withService()
  let web: ServiceProcess | undefined
  after(() => web?.stop())

  it('contains every fault point, each of which kills the service on command', async () => {
    const build = buildWith(harnessEdits)
    const orders = join(build, 'orders')
    writeFileSync(orders, 'create.inserted:2:kill')
    web = await startProcessOf(build, 'web', service, { FAULT_ORDERS: orders })
    const merchant = await service.merchant()
    const create = (origin: string, key: string) =>
      sendJson(origin, merchant.write(key), '/intents', { amount: 50_000 })
    expect((await create(web.origin, 'first')).status).to.equal(201)
    expect(await create(web.origin, 'second').catch(() => 'died')).to.equal('died')
    expect(await web.exited).to.equal(null)
    expect(web.recentLog()).to.include('{"msg":"fault.point","point":"create.inserted","deed":"kill",')
    const again = await create(service.origin, 'second')
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(2)
  })
})
