import { expect } from 'chai'
import { withService } from '../support/service.ts'
import { customersOf, done, wrongPin } from '../wallets/customers.ts'
import { withAdmin } from './admin.ts'

describe('npm run admin -- wallet create', function () {
  this.timeout(60_000)
  const service = withService()
  const cli = withAdmin(service)

  const production = {
    NODE_ENV: 'production',
    METRICS_PORT: '0',
    PUBLIC_URL: 'https://api.example',
    PAY_URL: 'https://pay.example',
  }
  const create = (phone: string, pin: string, balance: string) => {
    const args = ['--phone', phone, '--pin', pin, '--balance', balance, '--json']
    return cli.hereWith(production, 'wallet', 'create', ...args)
  }

  it('creates only one wallet per phone number, and the wallet can pay any business if the correct PIN is given', async () => {
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
