import { copyFileSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { packages } from '../../clients/release/packages.ts'
import { npm } from '../../dev/setup/run.mjs'
import { temporaryFolder } from '../support/built.ts'
import { withService } from '../support/service.ts'
import { runFile, runShop, withPackages } from './consumers.ts'

const report = ({ message }: Error): undefined => console.error(message) as undefined

const printed =
  'Paid: 50000\nEvent: payment.confirmed\nVerified: true\nRefused: INTENT_CANCEL_INVALID_STATUS\n'
/** PHP compiled to WebAssembly, from npm. Arguments: the version, what to disable, the folder of the program. */
const runPhp = `
import { readFileSync } from 'node:fs'
import { loadNodeRuntime } from '@php-wasm/node'
import { PHP, setPhpIniEntries } from '@php-wasm/universal'
const [, , version, disabled, ...files] = process.argv
const php = new PHP(await loadNodeRuntime(version, { emscriptenOptions: { processId: 1 } }))
await setPhpIniEntries(php, { disable_functions: disabled, allow_url_fopen: '1', error_reporting: '32767' })
for (const file of files) php.writeFile('/' + file, readFileSync(file))
php.chdir('/')
const { BASE, KEY } = process.env
const { text, errors } = await php.run({ code: "<?php require '/shop.php';", env: { BASE, KEY } })
process.stdout.write(text + errors, () => process.exit())
`

describe('The Python and PHP packages, as merchants install them', function () {
  this.timeout(180_000)
  const service = withService()
  const folder = temporaryFolder()
  const nameOf = (extension: string) => packages.find(({ file }) => file.endsWith(extension))?.file ?? ''

  const server = withPackages(service, /\.(whl|php)$/)
  const urlOf = (extension: string) => `${server.origin}/docs/packages/${nameOf(extension)}`

  async function printedBy(command: string, args: string[]): Promise<string> {
    const { stdout, stderr } = await runShop(service, command, args, folder)
    return stdout + stderr
  }

  async function installPython(version: string, ...more: string[]): Promise<string | undefined> {
    const python = findPython(version)
    if (python === undefined) return undefined
    const home = mkdtempSync(join(folder, 'python-'))
    await runFile(python, ['-m', 'venv', home])
    const own = join(home, 'bin/python')
    const pip = ['-m', 'pip', '--disable-pip-version-check']
    await runFile(own, [...pip, 'install', '--no-index', urlOf('.whl')])
    if (more.length > 0) await runFile(own, [...pip, 'install', ...more])
    await runFile(own, [...pip, 'check'])
    return own
  }

  function skip(test: Mocha.Context, reason: string): never {
    console.error(`\n${reason}, so the package was not tried with it.`)
    return test.skip()
  }

  for (const version of ['3.9', '3.10', '3.11', '3.12', '3.13'])
    it(`run the guide's program with Python ${version}, installed by pip without a registry`, async function () {
      const python = await installPython(version)
      if (python === undefined) return skip(this, `Python ${version} is not installed`)
      copyFileSync('clients/examples/shop.py', join(folder, 'shop.py'))
      expect(await printedBy(python, ['-X', 'dev', '-W', 'error', 'shop.py'])).to.equal(printed)
    })

  it('have types that mypy checks for every version of Python', async function () {
    const newest = ['3.13', '3.12', '3.11'].find(findPython)
    // The last mypy that knows Python 3.9.
    const install = newest && installPython(newest, 'mypy==1.18.2').catch(report)
    const python = await install
    if (!python) return skip(this, 'mypy is not installed')
    const programs = ['catchup', 'close', 'hooks', 'inbox', 'pay', 'shop'].map((name) => `${name}.py`)
    for (const program of programs) copyFileSync(`clients/examples/${program}`, join(folder, program))
    copyFileSync('clients/consumers/typed.py', join(folder, 'typed.py'))
    for (const version of ['3.9', '3.10', '3.11', '3.12', '3.13']) {
      const options = ['--strict', '--python-version', version]
      const own = await runFile(python, ['-m', 'mypy', ...options, '-p', 'payment_intents_mru'], {
        cwd: folder,
      })
      const files = ['typed.py', ...programs]
      const program = await runFile(python, ['-m', 'mypy', ...options, ...files], { cwd: folder })
      for (const { stdout } of [own, program]) expect(stdout, version).to.include('no issues found')
    }
  })

  describe('PHP', () => {
    let isInstalled = false
    before(async () => {
      writeFileSync(join(folder, 'run.mjs'), runPhp)
      copyFileSync('clients/examples/shop.php', join(folder, 'shop.php'))
      await runFile('curl', ['-sSfO', urlOf('.php')], { cwd: folder })
      const modules = ['@php-wasm/node@3.1.56', '@php-wasm/universal@3.1.56']
      const [command, ...args] = npm(
        process.execPath,
        'install',
        '--ignore-scripts',
        '--no-audit',
        ...modules,
      )
      const install = runFile(command, args, { cwd: folder }).then(() => true)
      isInstalled = (await install.catch(report)) === true
    })

    for (const version of ['8.0', '8.1', '8.2', '8.3', '8.4', '8.5'])
      for (const [transport, disabled] of [
        ['cURL', ''],
        ['allow_url_fopen', 'curl_init'],
      ] as const)
        it(`runs the guide's program with version ${version} and ${transport}`, async function () {
          if (!isInstalled) return skip(this, `PHP ${version} could not be fetched from npm`)
          const args = ['run.mjs', version, disabled, nameOf('.php'), 'shop.php']
          expect(await printedBy(process.execPath, args)).to.equal(printed)
        })
  })
})

/** On the PATH, or installed by pyenv. */
function findPython(version: string): string | undefined {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  const inPyenv = existsSync(versions) ? readdirSync(versions) : []
  const own = inPyenv.find((name) => name.startsWith(`${version}.`))
  const folders = own ? [join(versions, own, 'bin')] : (process.env.PATH ?? '').split(':')
  return folders.map((folder) => join(folder, `python${version}`)).find(existsSync)
}
