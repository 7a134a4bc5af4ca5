import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkProvider, type Finding, obligations } from '../../ops/provider-check/obligations.ts'
import { parseScenario, paymentNames, type Scenario } from '../../ops/provider-check/scenario.ts'
import { temporaryFolder } from '../support/built.ts'
import { deadlineMs } from '../support/machine.ts'
import { type Fault, faults, scenario, startReference } from './provider-check/reference.ts'

const neverTested = ['remembered-keys', 'pin-secrecy', 'constant-time', 'two-keys']
const idsOf = (findings: Finding[], result: Finding['result']): string[] =>
  findings.filter((finding) => finding.result === result).map(({ id }) => id)
const brief = (findings: Finding[]): string =>
  findings
    .filter(({ result }) => result !== 'holds')
    .map(({ id, result, why, sent, came }) => [id, result, why, sent, came].join(' | '))
    .join('\n')

async function check(fault: Fault | null, changes: Partial<Scenario> = {}): Promise<Finding[]> {
  const provider = await startReference(fault)
  const { restart, balanceOf } = provider
  const hooks = { restart, balanceOf }
  try {
    const findings: Finding[] = []
    const all = checkProvider(provider, { ...scenario, ...changes }, hooks)
    for await (const finding of all) findings.push(finding)
    return findings
  } finally {
    await provider.close()
  }
}

/** The program, as its own process. */
const runKit = (args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const program = join(import.meta.dirname, '../../ops/provider-check/main.ts')
    execFile(
      process.execPath,
      [program, ...args],
      { timeout: Math.ceil(deadlineMs(120_000)) },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

describe('npm run provider:check', function () {
  this.timeout(900_000)
  const file = join(temporaryFolder(), 'scenario.json')

  it('finds that a correct provider keeps every obligation that it can test', async () => {
    const findings = await check(null)
    expect(idsOf(findings, 'broken'), brief(findings)).to.deep.equal([])
    expect(idsOf(findings, 'not tested'), brief(findings)).to.deep.equal(neverTested)
    expect(findings.map(({ id }) => id)).to.deep.equal(obligations.map(({ id }) => id))
  })

  it('names the obligation that each wrong provider breaks', async () => {
    const wrong = Object.keys(faults) as Fault[]
    const missed: string[] = []
    for (const some of [wrong.slice(0, 15), wrong.slice(15)])
      await Promise.all(
        some.map(async (fault) => {
          const findings = await check(fault)
          if (!idsOf(findings, 'broken').includes(faults[fault])) missed.push(`${fault}: ${brief(findings)}`)
        }),
      )
    expect(missed.join('\n\n')).to.equal('')
  })

  it('tests no refunds of a provider that makes none, and nothing that the scenario does not name', async () => {
    const { succeeded } = scenario.payments
    const findings = await check(null, { refunds: false, payments: { succeeded } })
    expect(idsOf(findings, 'broken'), brief(findings)).to.deep.equal([])
    const untested = idsOf(findings, 'not tested')
    const ofRefunds = obligations.filter(({ forRefunds }) => forRefunds).map(({ id }) => id)
    expect(untested).to.include.members([...ofRefunds, 'wrong-pin', 'slow', 'pending-then-failed'])
    expect(findings.find(({ id }) => id === 'slow')?.why).to.equal('the scenario names no wallet for `slow`')
  })

  it('prints each finding, what was sent and what came, and returns 1 if an obligation is broken', async () => {
    const provider = await startReference('unknown with status 200')
    writeFileSync(file, JSON.stringify({ ...scenario, balance: 'test "$PHONE" && echo 5000' }))
    const only = ['--only', 'unknown-key,payment-repeated,declined,two-keys']
    const args = [
      '--url',
      provider.url,
      '--key',
      provider.key,
      '--scenario',
      file,
      '--restart',
      'true',
      ...only,
    ]
    const { code, stdout } = await runKit(args)
    expect(code).to.equal(1)
    expect(stdout).to.match(/^broken {6}unknown-key: [^]*the page says: /m)
    expect(stdout).to.match(/sent: GET \/wallet\/v1\/payments\/\w+\n +came: 200 \{"key":/)
    expect(stdout).to.match(/1 hold, 2 broken, 1 not tested\n$/)
    const json = await runKit([...args, '--json'])
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).result),
    ).to.deep.equal(['broken', 'broken', 'holds', 'not tested'])
    expect(stdout + json.stdout).to.not.match(/"pin":"\d/)
    await provider.close()
    const down = await runKit(args)
    expect([down.code, down.stderr]).to.deep.equal([2, `${provider.url} does not respond: ECONNREFUSED\n`])
  })

  it('refuses wrong arguments and scenarios, and says what is wrong with them', async () => {
    writeFileSync(file, '{"payments": {"succeeded": {"phone": "1", "pin": "1234"}, "paid": {}}, "fees": 1}')
    const options = ['--url', 'http://127.0.0.1:1', '--key', 'k']
    const wrong = await runKit([...options, '--scenario', file])
    expect(wrong.code).to.equal(2)
    expect(wrong.stderr).to.include('"fees"').and.include('"paid"').and.include('/payments/succeeded/phone')
    expect((await runKit(options)).stderr).to.include('npm run provider:check')
    expect((await runKit([...options, '--scenario', file, '--only', 'x'])).stderr).to.include('--only x')
    const page = readFileSync(join(import.meta.dirname, '../../docs/operators/wallet-provider.md'), 'utf8')
    const [, example = ''] = /```json\n(\{\n[^]*?)```/.exec(page) ?? []
    expect(Object.keys(parseScenario(example).payments)).to.have.members([...paymentNames])
    expect(() => parseScenario('{"payments": {}}')).to.throw("must have required property 'succeeded'")
  })
})
