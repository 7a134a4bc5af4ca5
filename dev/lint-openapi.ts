import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { openapi } from './openapi-document.ts'

/** A rule that the description breaks on purpose, at matching paths only. */
type Exception = readonly [rule: string, at: RegExp, reason: string]

const everywhere = /./
const limitOfPage = /\.get\.parameters\.\d+\.schema$/

const exceptions: readonly Exception[] = [
  [
    'info-contact',
    everywhere,
    'The operator of the service is the contact, and the configuration has no address.',
  ],
  [
    'oas3-operation-security-defined',
    /\.security\.\d+\.apiKey\.0$/,
    'The rule expects OAuth scopes. OpenAPI 3.1 allows role names for any scheme. Ours are the scopes of keys.',
  ],
  [
    'owasp:api4:2023-integer-limit',
    limitOfPage,
    '`limit` has no maximum: above 100, it becomes 100 (SPEC 4.3).',
  ],
  ['owasp:api4:2023-integer-format', limitOfPage, 'No integer format fits a number without a maximum.'],
  [
    'owasp:api4:2023-string-restricted',
    /\.responseBody$/,
    "A merchant's endpoint may respond with any text.",
  ],
  [
    'owasp:api4:2023-rate-limit',
    /(401|408|431|HeadersTooLarge|RequestTimeout|Unauthorized)\.headers$/,
    'These responses are sent before a key is known, and the limit belongs to a key.',
  ],
  [
    'owasp:api8:2023-define-cors-origin',
    everywhere,
    'Scripts of other sites may only read one intent. Without the header, browsers refuse all other operations.',
  ],
]

const source = JSON.stringify(openapi, null, 2)
const isSound = [await satisfiesRedocly(), await satisfiesSpectral()]
process.exitCode = isSound.every(Boolean) ? 0 : 1

/** Redocly finds what Spectral doesn't: undefined security schemes, and paths that match the same URL. */
async function satisfiesRedocly(): Promise<boolean> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // Redocly ignores the fields beside `dependentSchemas`. test/api/openapi.test.ts checks that examples have no
      // undescribed fields.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      // Redocly reports a conditionally required field as undescribed.
      'no-required-schema-properties-undefined': 'off',
    },
  })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  const totals = getTotals(problems)
  if (problems.length > 0) formatProblems(problems, { totals, version: '', format: 'stylish' })
  return totals.errors + totals.warnings === 0
}

/** `spectral:oas` and the OWASP rules: limits, formats, security. An unneeded exception is an error too. */
async function satisfiesSpectral(): Promise<boolean> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [rulesets.oas, owasp] } as spectral.RulesetDefinition)
  const results = await linter.run(new spectral.Document(source, parsers.Json))
  const needed = new Set<Exception>()
  const problems = results.filter(({ code, path }) => {
    const exception = exceptions.find(([rule, at]) => rule === code && at.test(path.join('.') || '/'))
    if (exception !== undefined) needed.add(exception)
    return exception === undefined
  })
  for (const { code, path, message } of problems) console.error(`${path.join('.')}: ${message} (${code})`)
  const unneeded = exceptions.filter((exception) => !needed.has(exception))
  for (const [rule] of unneeded) console.error(`Nothing needs the exception from ${rule}: remove it.`)
  return problems.length + unneeded.length === 0
}
