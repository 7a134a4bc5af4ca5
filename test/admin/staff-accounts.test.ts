import { hostname, userInfo } from 'node:os'
import { createAccount, renewPassword, setStaffDisabled } from '../../src/staff/change-account.ts'
import { withService } from '../support/service.ts'
import { openAdmin } from './admin.ts'
import { hire, operator, signInStatus, trailOf } from './staff.ts'

describe('A staff account', () => {
  const service = withService()
  const trail = (subject: string) => trailOf(service, subject)
  const signIn = (name: string, password: unknown) => signInStatus(service, name, password)

  it('can be created, disabled, enabled and given a new password on the command line', async () => {
    const cli = openAdmin(service)
    const made = await cli.done('staff', 'create', '--name', 'Awa.Diop@Support', '--role', 'support')
    expect(made).to.have.all.keys('name', 'password').and.to.include({ name: 'awa.diop@support' })
    expect(made.password).to.match(/^[2-9a-z]{6}(-[2-9a-z]{6}){3}$/)
    const name = String(made.name)
    expect(await signIn(name, made.password)).to.equal(303)
    const stored = JSON.stringify([await service.deps.Staff.find().lean(), await trail(name)])
    expect(stored).not.to.include(made.password)
    const renewed = await cli.done('staff', 'password', name)
    expect(renewed).to.have.all.keys('name', 'password')
    expect(await signIn(name, made.password)).to.equal(403)
    expect(await signIn(name, renewed.password)).to.equal(303)
    expect(await cli.done('staff', 'disable', name)).to.deep.equal({ name, disabled: true })
    expect(await signIn(name, renewed.password)).to.equal(403)
    expect(await cli.done('staff', 'enable', name)).to.deep.equal({ name, disabled: false })
    expect(await signIn(name, renewed.password)).to.equal(303)
    const lines = (await trail(name)).filter(({ act }) => !act.includes('sign'))
    const acts = ['staff.created', 'staff.password-changed', 'staff.disabled', 'staff.enabled']
    const actor = { kind: 'operator', name: userInfo().username, from: hostname() }
    expect(lines.map((line) => [line.act, line.actor])).to.deep.equal(acts.map((act) => [act, actor]))
    expect([lines[0]?.after, lines[2]?.before]).to.deep.equal([{ role: 'support' }, { disabledAt: null }])
    for (const [about, ...args] of [
      ['An account named awa.diop@support already exists', 'create', '--name', name, '--role', 'viewer'],
      ['1 to 64', 'create', '--name', 'with space', '--role', 'viewer'],
      ['There is no account unknown', 'password', 'unknown'],
    ] as const) {
      const { exitCode, stdout, stderr } = await cli.here('--json', 'staff', ...args)
      expect([exitCode > 0, stdout]).to.deep.equal([true, ''])
      expect(stderr).to.include(about)
    }
    const names = [name, 'with space', 'unknown']
    expect(await service.deps.Staff.countDocuments({ _id: { $in: names } })).to.equal(1)
    expect((await service.deps.Staff.findById(name).lean())?.role).to.equal('support')
  })

  it('is created only once if two operators create it at the same time', async () => {
    const account = { name: 'twice', role: 'viewer' } as const
    const both = await Promise.all([1, 2].map(() => createAccount(service.deps, account, operator)))
    const [made, ...more] = both.filter((each) => each !== null)
    expect(more).to.deep.equal([])
    expect(await signIn('twice', made?.password)).to.equal(303)
    expect((await trail('twice')).filter(({ act }) => act === 'staff.created')).to.have.lengthOf(1)
  })

  it('is changed by concurrent requests one at a time, with one audit line per change', async () => {
    const { name } = await hire(service, 'viewer')
    const [, , ...passwords] = await Promise.all([
      setStaffDisabled(service.deps, name, true, operator),
      setStaffDisabled(service.deps, name, true, operator),
      ...Array.from({ length: 3 }, () => renewPassword(service.deps, name, operator)),
    ])
    await setStaffDisabled(service.deps, name, false, operator)
    const statuses = await Promise.all(passwords.map((password) => signIn(name, password)))
    expect(statuses.filter((status) => status === 303)).to.have.lengthOf(1)
    const acts = (await trail(name)).map(({ act }) => act).filter((act) => !act.includes('sign'))
    expect(acts.filter((act) => act === 'staff.password-changed')).to.have.lengthOf(3)
    expect(acts.filter((act) => act === 'staff.disabled')).to.have.lengthOf(1)
  })
})
