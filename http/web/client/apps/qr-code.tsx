// A QR code, drawn as one path. Always dark on light: many cameras read nothing else.
import { generate } from 'lean-qr/nano';
import { useMemo } from 'preact/hooks';

/** The quiet zone that the standard asks for, in modules. */
const QUIET = 4;

const drawnOf = (text: string): { readonly size: number; readonly path: string } => {
  const code = generate(text);
  let path = '';
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  return { size: code.size + 2 * QUIET, path };
};

export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { size, path } = useMemo(() => drawnOf(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
};
