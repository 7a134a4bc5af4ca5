import { execFile } from 'node:child_process'
import { cp, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { operations } from '../../dev/openapi-document.ts'
import { startProxy } from '../docs/proxy.ts'
import { buildFolder, temporaryFolder } from '../support/built.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { withService } from '../support/service.ts'

const run = promisify(execFile)
const collection = join(import.meta.dirname, '../../clients/payments.postman_collection.json')
const locked = join(import.meta.dirname, 'newman')

describe('The Postman collection', function () {
  this.timeout(300_000)
  const service = withService()
  let processes: ServiceProcess[] = []
  let newman = ''

  /** newman needs 150 packages, too many for the project itself. The lock file pins each of them. */
  before(async function () {
    const folder = buildFolder('newman')
    newman = join(folder, 'node_modules/newman/bin/newman.js')
    await mkdir(folder, { recursive: true })
    await cp(locked, folder, { recursive: true })
    const install = run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
    await install.catch(() => undefined)
    if ((await stat(newman).catch(() => null)) === null) {
      console.error(
        '\nnewman is not installed, and could not be downloaded, so the Postman collection was not run.',
      )
      this.skip()
    }
    processes = await Promise.all([startProcess('web', service), startProcess('worker', service)])
  })
  after(() => Promise.all(processes.map((each) => each.stop())))

  /** With a fresh key of a business of its own. Returns what newman prints, without colours. */
  async function runCollection(origin: string): Promise<{ exitCode: number; text: string }> {
    const { key } = await service.merchant()
    const variables = [`base_url=${origin}/api/v1`, `api_key=${key}`].flatMap((each) => ['--env-var', each])
    const words = [newman, 'run', collection, '--color', 'off', '--disable-unicode', ...variables]
    try {
      const { stdout } = await run(process.execPath, words, { cwd: temporaryFolder(), maxBuffer: 2 ** 26 })
      return { exitCode: 0, text: stdout }
    } catch (error) {
      const { code, stdout } = error as { code: number; stdout: string }
      return { exitCode: code, text: stdout }
    }
  }

  it('runs from top to bottom with newman, and each response is as described', async () => {
    const { exitCode, text } = await runCollection(processes[0]?.origin ?? '')
    expect(exitCode, text).to.equal(0)
    for (const { summary } of operations) expect(text).to.include(`Sub-folder ${summary}\n`)
  })

  const wrong: Record<string, [path: RegExp, change: (body: string) => string, fault: RegExp]> = {
    'a field of another type': [
      /^GET .*\/intents\/PI-/,
      (body) => body.replace('"amount":50000', '"amount":"50000"'),
      /Retrieve a payment intent[^]*data\.amount should be integer/,
    ],
    'a missing field': [
      /^GET .*\/dev\/balance$/,
      (body) => body.replace('"amount":', '"other":'),
      /Retrieve the balance[^]*should have required property/,
    ],
    'an error instead of a result': [
      /^POST .*\/cancel$/,
      () => '{"success":false,"error":{}}',
      /Cancel a payment intent[^]*matches the description/,
    ],
  }
  for (const [what, [path, change, fault]] of Object.entries(wrong))
    it(`fails with newman after ${what}`, async () => {
      const proxy = await startProxy(processes[0]?.origin ?? '', {
        change: (request, body) => (path.test(request) ? change(body) : body),
      })
      try {
        const { exitCode, text } = await runCollection(proxy.origin)
        expect(exitCode).to.equal(1)
        expect(text).to.match(fault)
      } finally {
        await proxy.close()
      }
    })
})
