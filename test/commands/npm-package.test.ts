import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { packages } from '../../clients/release/packages.ts'
import { npm } from '../../dev/setup/run.mjs'
import { temporaryFolder } from '../support/built.ts'
import { withService } from '../support/service.ts'
import { runFile, runShop, withPackages } from './consumers.ts'

const printed =
  'Paid: 50000\nEvent: payment.confirmed\nVerified: true\nForged: SIGNATURE_MISMATCH\nRefused: INTENT_CANCEL_INVALID_STATUS\n'
const program = readFileSync('clients/consumers/shop.js', 'utf8')
const programs = {
  'shop.mjs': `import * as client from '@payment-intents-mru/client'\n${program}`,
  'shop.cjs': `const client = require('@payment-intents-mru/client')\n${program}`,
}

/** A compiler, its options, and whether the program is CommonJS, an ES module, or what its compiler assumes. */
type Consumer = { compiler: '5.0' | '5.9' | '6' | '7'; options: object; type?: 'module' | 'commonjs' }

const strict = { strict: true }
const es2022 = { target: 'es2022', module: 'es2022' }
const consumers: Record<string, Consumer> = {
  strict: { compiler: '6', options: { ...strict, module: 'nodenext' }, type: 'module' },
  loose: { compiler: '5.9', options: { strict: false, target: 'es2022', module: 'commonjs' } },
  'no configuration (TypeScript 5)': { compiler: '5.9', options: {} },
  'no configuration (TypeScript 6)': { compiler: '6', options: {} },
  'no configuration (TypeScript 7)': { compiler: '7', options: {} },
  'every extra check': {
    compiler: '6',
    options: {
      ...strict,
      module: 'nodenext',
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      noImplicitOverride: true,
    },
    type: 'module',
  },
  'commonjs with node10': {
    compiler: '5.9',
    options: { ...strict, target: 'es2022', module: 'commonjs', moduleResolution: 'node10' },
  },
  'node16, CommonJS': { compiler: '5.9', options: { ...strict, module: 'node16' }, type: 'commonjs' },
  'node16, ES module': { compiler: '5.9', options: { ...strict, module: 'node16' }, type: 'module' },
  bundler: { compiler: '7', options: { ...strict, ...es2022, moduleResolution: 'bundler' } },
  'isolated modules': {
    compiler: '6',
    options: { ...strict, module: 'nodenext', verbatimModuleSyntax: true, isolatedModules: true },
    type: 'module',
  },
  'TypeScript 5.0': { compiler: '5.0', options: { ...strict, module: 'nodenext' }, type: 'module' },
  'Node.js types, no DOM': {
    compiler: '5.9',
    options: { ...strict, module: 'nodenext', lib: ['es2022'], types: ['node'] },
    type: 'commonjs',
  },
}

describe('The npm package, as merchants install it', function () {
  this.timeout(300_000)
  const service = withService()
  const folder = temporaryFolder()
  /** Old compilers and versions of Node.js, kept for the next run. */
  const tools = join(process.cwd(), '.data/consumers')
  let missing = ''
  const server = withPackages(service, /\.tgz$/)

  before(async () => {
    const [{ file } = { file: '' }] = packages
    const [command, ...args] = npm(process.execPath, 'install', `${server.origin}/docs/packages/${file}`)
    writeFileSync(join(folder, 'package.json'), '{}')
    await runFile(command, args, { cwd: folder })
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text)
    mkdirSync(tools, { recursive: true })
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join('clients/consumers', name), join(tools, name))
    const [npmCommand, ...words] = npm(process.execPath, 'ci', '--ignore-scripts')
    await runFile(npmCommand, words, { cwd: tools }).catch(({ message }) => {
      missing = message
      console.error(message)
    })
  })

  it('is pinned by its address and its digest in a lock file', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
    const { integrity, resolved } = lock.packages['node_modules/@payment-intents-mru/client']
    expect(integrity).to.match(/^sha512-/)
    expect(resolved ?? lock.packages[''].dependencies['@payment-intents-mru/client']).to.include(
      '/docs/packages/',
    )
  })

  const nodeOf = (version: string): string =>
    version === '24' ? process.execPath : join(tools, `node_modules/node-${version}/bin/node`)

  for (const version of ['18', '20', '22', '24'])
    for (const name of Object.keys(programs))
      it(`runs on Node.js ${version}: ${name}`, async function () {
        if (!existsSync(nodeOf(version))) {
          console.error(
            `\nNode.js ${version} is not installed, so the package was not tried with it. ${missing}`,
          )
          return this.skip()
        }
        const { stdout } = await runShop(service, nodeOf(version), [name], folder)
        expect(stdout).to.equal(printed)
      })

  const compilerOf = (version: Consumer['compiler']): string =>
    ({
      '5.0': join(tools, 'node_modules/typescript-5.0/bin/tsc'),
      '5.9': join(tools, 'node_modules/typescript-5.9/bin/tsc'),
      '6': 'node_modules/typescript/bin/tsc6',
      '7': 'node_modules/@typescript/native/bin/tsc',
    })[version]

  for (const [kind, { compiler, options, type }] of Object.entries(consumers))
    it(`compiles in a TypeScript program: ${kind}`, async function () {
      if (!existsSync(compilerOf(compiler))) {
        console.error(`\nTypeScript ${compiler} is not installed, so "${kind}" was not tried. ${missing}`)
        return this.skip()
      }
      const own = mkdtempSync(join(folder, 'typescript-'))
      symlinkSync(join(folder, 'node_modules'), join(own, 'node_modules'))
      copyFileSync('clients/consumers/shop.ts', join(own, 'shop.ts'))
      writeFileSync(join(own, 'package.json'), JSON.stringify({ type }))
      const types = { typeRoots: [join(tools, 'node_modules/@types')], types: [] }
      const compilerOptions = { ...types, skipLibCheck: false, noEmit: true, ...options }
      writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shop.ts'] }))
      const compiled = runFile(process.execPath, [compilerOf(compiler), '-p', own])
      expect((await compiled.catch((error: { stdout: string }) => error)).stdout).to.equal('')
    })
})
