import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core'
import { describeApi } from '../src/http/openapi/describe.ts'
import { describedAs } from './described-as.ts'

/** Holds the description of the API against the rules of OpenAPI; ends with 1 where it breaks one. */
const described = describeApi(describedAs)
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Of a refusal `allOf` adds the codes, in which this rule sees no other field. That examples have no field too many a test says (test/api/openapi.test.ts).
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    // It takes a field that is required under a condition for one that nobody describes.
    'no-required-schema-properties-undefined': 'off',
  },
})
const source = JSON.stringify(described, null, 2)
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
const totals = getTotals(problems)
if (problems.length > 0) formatProblems(problems, { totals, version: '', format: 'stylish' })
process.exitCode = totals.errors + totals.warnings === 0 ? 0 : 1
