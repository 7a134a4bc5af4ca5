import { withService } from '../support/service.ts'
import { customersOf, done, wrongPin } from '../wallets/customers.ts'
import { withAdmin } from './admin.ts'
import { production } from './staff.ts'

describe('npm run admin --', () => {
  const service = withService()
  const cli = withAdmin(service)

  describe('shop create', () => {
    it("creates a business's live shop only once", async () => {
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

    it('refuses names and reasons that are invisible, and reasons that change the text direction', async () => {
      const create = ['shop', 'create', '--business', 'unknown', '--name']
      for (const text of ['\u200B\u2060', '\u3164', 'Atar\u202Esrif', '\u2066Atar\u2069']) {
        const name = (await cli.here(...create, text)).stderr
        expect(name).to.match(text.includes('Atar') ? /no business/ : /Must be 1 to 200 printable characters/)
        const asReason = await cli.here(...create, 'x', '--reason', text)
        expect(asReason.stderr).to.match(/Must be 1 to 300 printable characters/)
      }
      for (const text of ['?', 'أطار', 'Atar 🌴'])
        expect((await cli.here(...create, text)).stderr).to.match(/no business/)
    })
  })

  describe('wallet create', () => {
    const create = (phone: string, pin: string, balance: string) => {
      const args = ['--phone', phone, '--pin', pin, '--balance', balance, '--json']
      return cli.hereWith(production, 'wallet', 'create', ...args)
    }

    it('creates one wallet per phone number, which can then pay any business with the correct PIN', async () => {
      const { stdout, exitCode } = await create('+222 44 55 66 77', '٢٥٨٠', '250')
      expect(exitCode).to.equal(0)
      expect(JSON.parse(stdout)).to.deep.equal({ id: '44556677', phone: '44556677', balance: 250 })
      const { pay, balanceOf } = customersOf(service)
      expect(await pay({ phone: '44556677', pin: '0000' })).to.deep.equal(wrongPin)
      expect(await pay({ phone: '44556677', pin: '2580' })).to.deep.equal(done)
      expect(await balanceOf('44556677')).to.equal(150)
      const second = await create('0022244556677', '1111', '9')
      expect([second.exitCode, second.stdout]).to.deep.equal([1, ''])
      expect(second.stderr).to.equal('There is already a wallet 44556677.\n')
      expect(await balanceOf('44556677')).to.equal(150)
      const wrong = await create('44556688', '12', '9')
      expect([wrong.exitCode, wrong.stdout]).to.deep.equal([1, ''])
      expect(wrong.stderr).to.match(/--pin/)
      expect(await service.deps.WalletAccount.countDocuments()).to.equal(1)
    })
  })
})
