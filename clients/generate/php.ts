import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import numbered from '../version.json' with { type: 'json' }
import {
  type Endpoint,
  endpoints,
  type Field,
  nameOf,
  resolved,
  type Schema,
  withoutNull,
  wrap,
} from './endpoints.ts'

const file = 'clients/php/payment-intents-mru.php'
/** The generated part. The hand-written rest stays as it is. */
const block =
  /(?<=^\/\/ Generated from the OpenAPI document:\n)[\s\S]*(?=^\/\/ End of the generated part\.\n)/m

export const phpName = `payment-intents-mru-${numbered.version}.php`
export const buildPhp = (): Buffer => Buffer.from(source())
/** A checkout on Windows may have other line ends. */
const source = (): string =>
  readFileSync(join(import.meta.dirname, '../..', file), 'utf8').replaceAll('\r\n', '\n')

export function phpFiles(): Record<string, string> {
  const types = new Map<string, string>()
  const methods = endpoints.map((endpoint) => methodOf(endpoint, types))
  const lists = endpoints.filter(({ item }) => item !== undefined)
  const generated = [
    '',
    `const VERSION = '${numbered.version}';`,
    '',
    '/** The operations that return a page of a list, and the ids that they take. */',
    'const LISTS = [',
    ...lists.map(({ id, fields }) => `    '${id}' => ${listOf(namesIn(fields, 'path'))},`),
    '];',
    '',
    '/**',
    ' * The operations of the API, with types for PHPStan and Psalm.',
    ' *',
    ...[...types].map(([name, type]) => ` * @phpstan-type ${name} ${type}`),
    ' */',
    'abstract class Operations',
    '{',
    methods.join('\n\n'),
    '',
    '    /** Sends an operation, and repeats it after a temporary error. */',
    '    abstract protected function call(',
    ...callParameters.map((each) => `        ${each},`),
    '    ): mixed;',
    '}\n\n',
  ]
  return { [file]: source().replace(block, () => generated.join('\n')) }
}

const callParameters = [
  'array $operation',
  'array $ids',
  'array $input',
  '?float $timeout',
  '?int $maxRetries',
  '?string $idempotencyKey = null',
]

const namesIn = (fields: Field[], place: Field['in']) =>
  fields.filter((each) => each.in === place).map(({ name }) => name)
const listOf = (names: string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`

function methodOf(
  { id, method, path, fields, data, hasBody, isFile, text }: Endpoint,
  types: Map<string, string>,
) {
  const ids = namesIn(fields, 'path')
  const input = fields.filter((each) => each.in !== 'path')
  const query = method === 'GET' ? [] : namesIn(fields, 'query')
  const objects = fields
    .filter(({ schema }) => [schema.type].flat().includes('object'))
    .map(({ name }) => name)
  const operation = [
    `'method' => '${method}', 'path' => '${path}'`,
    ...(query.length > 0 ? [`'query' => ${listOf(query)}`] : []),
    ...(hasBody ? [`'body' => ${listOf(objects)}`] : []),
    ...(isFile ? ["'isFile' => true"] : []),
  ]
  const isWrite = method !== 'GET'
  const needsInput = input.some(({ required }) => required)
  const parameters = [
    ...ids.map((name) => `string $${name}`),
    ...(input.length > 0 ? [`array $input${needsInput ? '' : ' = []'}`] : []),
    ...(isWrite ? ['?string $idempotencyKey = null'] : []),
    '?float $timeout = null',
    '?int $maxRetries = null',
  ]
  const shape = input.map((each) => `${each.name}${each.required ? '' : '?'}: ${typeOf(each.schema, types)}`)
  const described = input.flatMap(({ name, description }) =>
    description ? wrap(`- \`${name}\`: ${description}`, 106) : [],
  )
  const comment = [
    ...text.flatMap((paragraph) => ['', ...wrap(paragraph, 106)]).slice(1),
    ...(described.length > 0 ? ['', ...described] : []),
    '',
    ...(input.length > 0 ? [`@param array{${shape.join(', ')}} $input`] : []),
    `@return ${isFile ? 'resource The file.' : typeOf(data ?? {}, types)}`,
  ]
  const filled = `[${ids.map((name) => `'${name}' => $${name}`).join(', ')}]`
  const rest = ['$timeout', '$maxRetries', ...(isWrite ? ['$idempotencyKey'] : [])].join(', ')
  return [
    '    /**',
    ...comment.map((line) => `     * ${line}`.trimEnd()),
    '     */',
    `    public function ${id}(`,
    ...parameters.map((each) => `        ${each},`),
    `    )${isFile ? '' : ': array'} {`,
    `        $operation = [${operation.join(', ')}];`,
    `        return $this->call($operation, ${filled}, ${input.length > 0 ? '$input' : '[]'}, ${rest});`,
    '    }',
  ].join('\n')
}

const primitives: Record<string, string> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'null',
}

/** The type as PHPStan writes it. */
function typeOf(schema: Schema, types: Map<string, string>): string {
  if (schema.$ref) {
    const name = nameOf(schema.$ref)
    if (!types.has(name)) {
      types.set(name, '')
      types.set(name, typeOf(resolved(schema), types))
    }
    return name
  }
  const [plain, isNullable] = withoutNull(schema)
  return plainTypeOf(plain, types) + (isNullable ? '|null' : '')
}

function plainTypeOf(schema: Schema, types: Map<string, string>): string {
  if (schema.$ref) return typeOf(schema, types)
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  if (String(values) === 'true,false') return 'bool'
  if (values) return values.map((each) => (typeof each === 'string' ? `'${each}'` : String(each))).join('|')
  const options = schema.oneOf ?? schema.anyOf ?? []
  if (options.length > 0) return [...new Set(options.map((each) => typeOf(each, types)))].join('|')
  const [type = 'mixed', ...others] = [schema.type ?? []].flat()
  if (others.length > 0) return [type, ...others].map((each) => primitives[each] ?? 'mixed').join('|')
  if (type === 'array') return `list<${typeOf(schema.items ?? {}, types)}>`
  if (type !== 'object') return primitives[type] ?? 'mixed'
  const { properties, required = [], additionalProperties: rest } = schema
  if (!properties) return `array<string, ${typeof rest === 'object' ? typeOf(rest, types) : 'mixed'}>`
  const fields = Object.entries(properties).map(
    ([name, each]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(each, types)}`,
  )
  return `array{${fields.join(', ')}}`
}
