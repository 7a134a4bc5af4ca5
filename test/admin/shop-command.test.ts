import { expect } from 'chai'
import { withService } from '../support/service.ts'
import { withAdmin } from './admin.ts'

describe('npm run admin -- shop create', function () {
  this.timeout(60_000)
  const service = withService()
  const cli = withAdmin(service)

  it("creates a business's live shop, but only once", async () => {
    const merchant = await service.merchant({ mode: 'live' })
    const create = (business: string) =>
      cli.here('shop', 'create', '--business', business, '--name', "L'Atar & fils", '--json')
    const first = await create(merchant.businessId)
    expect(first.exitCode).to.equal(0)
    const [shop] = await service.deps.Shop.find().lean()
    expect(JSON.parse(first.stdout)).to.deep.equal({ id: shop?._id })
    expect(shop).to.include({ businessId: merchant.businessId, sandbox: false, name: "L'Atar & fils" })
    const created = service.http.post('/api/v1/dev/store/products').set(merchant.write())
    await created.send({ name: 'x', price: 1 }).expect(201)

    const [second, withoutBusiness] = await Promise.all([create(merchant.businessId), create('unknown')])
    const refusal = `Business ${merchant.businessId} already has a shop.\n`
    expect(second).to.deep.equal({ exitCode: 1, stdout: '', stderr: refusal })
    const unknown = 'There is no business unknown.\n'
    expect(withoutBusiness).to.deep.equal({ exitCode: 1, stdout: '', stderr: unknown })
    expect(await service.deps.Shop.countDocuments()).to.equal(1)
  })

  it('refuses names and reasons that are invisible or change the direction of the text', async () => {
    const create = ['shop', 'create', '--business', 'unknown', '--name']
    for (const text of ['\u200B\u2060', '\u3164', 'Atar\u202Esrif', '\u2066Atar\u2069']) {
      const outcomes = [await cli.here(...create, text), await cli.here(...create, 'x', '--reason', text)]
      for (const { stderr } of outcomes) expect(stderr).to.match(/Must be 1 to \d+ printable characters/)
    }
    for (const text of ['?', 'أطار', 'Atar 🌴'])
      expect((await cli.here(...create, text)).stderr).to.match(/no business/)
  })
})
