import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '../../ops/provider-check/broken.ts'
import { checkProvider, type Finding, obligations } from '../../ops/provider-check/obligations.ts'
import { parseScenario, paymentNames, type Scenario } from '../../ops/provider-check/scenario.ts'
import { startCommand } from '../dev/command.ts'
import { temporaryFolder } from '../support/built.ts'
import { type Fault, faults, scenario, startReference, variants } from './provider-check/reference.ts'

const neverTested = ['remembered-keys', 'pin-secrecy', 'constant-time', 'two-keys']
const idsOf = (findings: Finding[], result: Finding['result']): string[] =>
  findings.filter((finding) => finding.result === result).map(({ id }) => id)
const whyOf = (findings: Finding[], id: string) => findings.find((finding) => finding.id === id)?.why
const brief = (findings: Finding[]): string =>
  findings
    .filter(({ result }) => result !== 'holds')
    .map(({ id, result, why, sent, came }) => [id, result, why, sent, came].join(' | '))
    .join('\n')

type Reference = Awaited<ReturnType<typeof startReference>>

async function check(
  fault: Parameters<typeof startReference>[0],
  changes: Partial<Scenario> = {},
  only: string[] = [],
  hooksOf: (provider: Reference) => Partial<Reference> = () => ({}),
): Promise<Finding[]> {
  const provider = await startReference(fault)
  const hooks = { ...provider, ...hooksOf(provider) }
  try {
    const findings: Finding[] = []
    const all = checkProvider(provider, { ...scenario, ...changes }, hooks, only)
    for await (const finding of all) findings.push(finding)
    return findings
  } finally {
    await provider.close()
  }
}

/** The program, as its own process. */
async function runKit(args: string[]) {
  const { ended, output } = startCommand([process.execPath, 'ops/provider-check/main.ts', ...args])
  return { code: (await ended).code, ...output }
}

describe('npm run provider:check', function () {
  this.timeout(900_000)
  const folder = temporaryFolder()
  const file = join(folder, 'scenario.json')
  const page = join(import.meta.dirname, '../../docs/operators/wallet-provider.md')

  it('finds that a correct provider keeps every obligation that it can test', async () => {
    const findings = await check(null)
    expect(idsOf(findings, 'broken'), brief(findings)).to.deep.equal([])
    expect(idsOf(findings, 'not tested'), brief(findings)).to.deep.equal(neverTested)
    expect(findings.map(({ id }) => id)).to.deep.equal(obligations.map(({ id }) => id))
    expect(whyOf(findings, 'slow')).to.include('a request stored after 30 s was not tested')
    expect(whyOf(findings, 'insufficient-funds')).to.equal(null)
    expect(whyOf(findings, 'restart')).to.equal(null)
  })

  it('accepts each way to keep an obligation', async () => {
    const ways = Object.entries(variants) as [keyof typeof variants, string][]
    const all = await Promise.all(ways.map(([way, id]) => check(way, { settleSeconds: 35 }, [id])))
    expect(all.map((findings) => brief(findings))).to.deep.equal(ways.map(() => ''))
  })

  it('names the obligation that each wrong provider breaks', async () => {
    const changesOutcomes: Fault[] = ['forgets at a restart', 'succeeds before it fails']
    const wrong = Object.keys(faults) as Fault[]
    const missed: string[] = []
    for (const some of [wrong.slice(0, 15), wrong.slice(15)])
      await Promise.all(
        some.map(async (fault) => {
          const findings = await check(fault, { settleSeconds: 35 }, [faults[fault], 'final'])
          const broken = idsOf(findings, 'broken')
          const repeats = broken.includes('final') && !changesOutcomes.includes(fault)
          if (!broken.includes(faults[fault]) || repeats) missed.push(`${fault}: ${brief(findings)}`)
        }),
      )
    expect(missed.join('\n\n')).to.equal('')
  })

  it('accuses no other obligation of money that moves late', async () => {
    const { pending_then_succeeded: succeeded = scenario.payments.succeeded } = scenario.payments
    const payments = { ...scenario.payments, succeeded }
    const only = ['pending-then-succeeded', 'refund-parts', 'final']
    const findings = await check('returns 500 for copies of pending payments', { payments }, only)
    expect(idsOf(findings, 'broken'), brief(findings)).to.deep.equal(only.slice(0, 1))
  })

  it('quotes the request that was carried out twice, and the rule that this breaks', async () => {
    const [finding] = await check('pays concurrent copies', {}, ['payment-concurrent'])
    expect(finding?.why).to.match(/changed by -8080 centimes instead of -1010: the money moved 8 times$/)
    expect(finding?.sent).to.match(/^POST \/wallet\/v1\/payments .*"amount":1000/)
    const [other] = await check('takes money of declined payments', {}, ['insufficient-funds'])
    expect(other?.rule).to.match(/^Return `succeeded` only if all the money moved/)
    const text = readFileSync(page, 'utf8')
      .replaceAll('**', '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(' | ', ': ')
    for (const rule of Object.values(rules)) expect(text).to.include(rule)
  })

  it('does not test an obligation if it cannot read a balance for it', async () => {
    const { limit_exceeded: wallet = scenario.payments.succeeded } = scenario.payments
    const only = ['insufficient-funds', 'limit-exceeded', 'declined', 'final']
    const findings = await check(null, {}, only, ({ balanceOf }) => ({
      balanceOf: (phone) => balanceOf(phone === wallet.phone ? '1' : phone),
    }))
    const why = `limit-exceeded | not tested | \`balance\` failed for ${wallet.phone}: No such wallet |  | `
    expect(brief(findings)).to.equal(why)
    const [rich] = await check(null, {}, only.slice(0, 1), () => ({ balanceOf: async () => 5_000 }))
    expect(rich?.why).to.include('the wallet holds 5000 centimes instead of 1000 to 1009')
  })

  it('tests no refunds of a provider that makes none, and nothing that the scenario does not name', async () => {
    const { succeeded } = scenario.payments
    const findings = await check(null, { refunds: false, payments: { succeeded } })
    expect(idsOf(findings, 'broken'), brief(findings)).to.deep.equal([])
    const untested = idsOf(findings, 'not tested')
    const ofRefunds = obligations.filter(({ forRefunds }) => forRefunds).map(({ id }) => id)
    expect(untested).to.include.members([...ofRefunds, 'wrong-pin', 'slow', 'pending-then-failed'])
    expect(whyOf(findings, 'slow')).to.equal('the scenario names no wallet for `slow`')
  })

  it('prints each finding, what was sent and what came, and returns 1 if an obligation is broken', async () => {
    const provider = await startReference('unknown with status 200')
    writeFileSync(file, JSON.stringify({ ...scenario, balance: 'test "$PHONE" && echo 5000' }))
    const target = ['--url', provider.url, '--key', provider.key, '--scenario', file, '--restart', 'true']
    const args = [...target, '--only', 'unknown-key,payment-repeated,declined,two-keys']
    const { code, stdout } = await runKit(args)
    expect(code).to.equal(1)
    expect(stdout).to.match(/^broken {6}unknown-key: [^]*the page says: /m)
    expect(stdout).to.match(/sent: GET \/wallet\/v1\/payments\/\w+\n +came: 200 \{"key":/)
    expect(stdout).to.match(/1 hold, 2 broken, 1 not tested\n$/)
    expect(stdout).to.match(/^not tested {2}two-keys: .+\n +not tested because the kit knows one key$/m)
    expect(stdout).to.not.include('broken: ')
    const json = await runKit([...args, '--json'])
    const results = json.stdout.match(/(?<="result":")[^"]+/g)
    expect(results).to.deep.equal(['broken', 'broken', 'holds', 'not tested'])
    expect(stdout + json.stdout).to.not.match(/"pin":"\d/)
    await provider.close()
    const down = await runKit(args)
    expect([down.code, down.stderr]).to.deep.equal([2, `${provider.url} does not respond: ECONNREFUSED\n`])
  })

  it('names a restart that fails or restarts nothing, and waits for no program in the background', async () => {
    const provider = await startReference(null)
    writeFileSync(file, JSON.stringify({ ...scenario, refunds: false }))
    const args = ['--url', provider.url, '--key', provider.key, '--scenario', file, '--only', 'restart']
    const failed = await runKit([...args, '--restart', 'exit 3'])
    expect([failed.code, failed.stderr]).to.deep.equal([0, ''])
    expect(failed.stdout).to.match(
      /^not tested {2}restart: .+\n +not tested because `--restart` failed: exit code 3$/m,
    )
    const pidFile = join(folder, 'pid')
    const idle = await runKit([...args, '--restart', `sleep 600 & echo $! > ${pidFile}`])
    process.kill(Number(readFileSync(pidFile, 'utf8')))
    expect(idle.code, idle.stderr).to.equal(0)
    expect(idle.stdout).to.match(
      /^holds .+\n +the provider never stopped responding: did `--restart` restart it\?$/m,
    )
    await provider.close()
  })

  it('refuses wrong arguments and scenarios, and says what is wrong with them', async () => {
    writeFileSync(file, '{"payments": {"succeeded": {"phone": "1", "pin": "1234"}, "paid": {}}, "fees": 1}')
    const options = ['--url', 'http://127.0.0.1:1', '--key', 'k']
    const wrong = await runKit([...options, '--scenario', file])
    expect(wrong.code).to.equal(2)
    expect(wrong.stderr).to.include('"fees"').and.include('"paid"').and.include('/payments/succeeded/phone')
    expect((await runKit(options)).stderr).to.include('npm run provider:check')
    const unknown = await runKit([...options, '--scenario', file, '--only', 'x'])
    expect(unknown.stderr).to.match(/^Unknown obligation x\. Known: signature-key, /)
    const [, example = ''] = /```json\n(\{\n[^]*?)```/.exec(readFileSync(page, 'utf8')) ?? []
    expect(Object.keys(parseScenario(example).payments)).to.have.members([...paymentNames])
    expect(() => parseScenario('{"payments": {}}')).to.throw("must have required property 'succeeded'")
  })
})
