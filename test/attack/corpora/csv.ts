import { words } from './words.ts'

const head = 'handle,name,description,variant_label,sku,price,stock,active'

export const csvFiles: readonly string[] = [
  '',
  '\ufeff',
  head,
  `${head}\r\n`,
  `${head}\nh-~tag~,N ~tag~,d,Default,,100,5,true\n`,
  `\ufeff${head}\nbom-~tag~,N ~tag~,d,Default,,100,5,true\n`,
  `${head.replaceAll(',', ';')}\nsemi-~tag~;N ~tag~;d;Default;;100;5;true\n`,
  `${head}\nf-~tag~,=1+1,+cmd|'/c calc'!A1,@SUM(1),-2+3,100,5,true\n`,
  `${head}\nq-~tag~,"a ""q"" , ~tag~","line\nline",L,,100,5,true\n`,
  `${head}\nx,"unclosed ~tag~\n`,
  `${head}\nx,a"b"c,d,L,,1,1,true\n`,
  ...words('1e3,5,true -1,5,true 9007199254740993,5,true 1,1e400,true NaN,Infinity,maybe').map(
    (cells) => `${head}\nx,N ~tag~,d,L,,${cells}\n`,
  ),
  `${head}\nx,N\0~tag~,d,L,,1,1,true\n`,
  `${head}\nx,\ud800,d,L,,1,1,true\n`,
  `${head}\n__proto__,constructor,$ne,a.b,toString,1,1,true\n`,
  `${head}\n$where,~tag~,,,,,,\n`,
  `${head}\nhtml-~tag~,<xq onx=1>~tag~,<xq>,<xq>,,100,5,true\n`,
  `${head},handle\nx,N,d,L,,1,1,true,y\n`,
  '__proto__,constructor,prototype\n1,2,3\n',
  'name,price\nN ~tag~,100\n',
  'name;price,stock\nN ~tag~;1,1\n',
  `${head}\n${',,,,,,,\n'.repeat(200)}`,
  `${head}\n${Array.from({ length: 300 }, (_, i) => `m-${i}-~tag~,N ${i},d,Default,,${i},5,true`).join('\n')}`,
  `${head}\n${Array.from({ length: 5001 }, (_, i) => `m-${i},N,d,Default,,1,5,true`).join('\n')}`,
  `${head}\nx,${'n'.repeat(200_000)},d,L,,1,1,true\n`,
  `${head}\n${'a,'.repeat(20_000)}\n`,
  `${'c,'.repeat(20_000)}\n`,
  'sep=;\nname;price\nN;1\n',
  'PK\u0003\u0004not a spreadsheet',
  '\r\r\r\r',
  `${head}\rh-~tag~,N,d,Default,,100,5,true\r`,
]

const part = (name: string, file: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="f.csv"\r\nContent-Type: text/csv\r\n\r\n${file}\r\n`
const good = `${head}\nmp-~tag~,N ~tag~,d,Default,,100,5,true\n`

export const multiparts: readonly string[] = [
  `${part('file', good)}--x--\r\n`,
  part('file', good),
  `${part('file', good)}${part('file', good)}--x--\r\n`,
  `${part('other', good)}--x--\r\n`,
  `${part('__proto__', good)}--x--\r\n`,
  `${part('file"; name="file', good)}--x--\r\n`,
  '--x--\r\n',
  '--x\r\n\r\n--x--',
  '--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n',
  `--x\r\n${'A: b\r\n'.repeat(3000)}\r\na\r\n--x--\r\n`,
  `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(150)}--x--\r\n`,
  `${part('file', good).replace('f.csv', '../../etc/passwd\0')}--x--\r\n`,
  `${part('file', good).replace('form-data', "form-data; name*=utf-8''%ff")}--x--\r\n`,
  '--x',
  '\r\n--x\r\n--x\r\n--x\r\n',
]
