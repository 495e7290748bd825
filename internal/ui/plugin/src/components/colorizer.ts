// The colour that the UI gives to slices: a hue and a lightness of the colour space HSLuv, from
// hashes of a text. TestPluginColours compares them with those of the tracks.

interface Color {
  readonly cssString: string;
}

interface ColorScheme {
  readonly base: Color;
  readonly textBase: Color;
}

export function getColorForSlice(text: string, _: {readonly stripTrailingDigits: false}): ColorScheme {
  const rgb = hsluv(hash(text, 360), 0.8, hash(text + 'x', 40) + 40);
  const [r = 0, g = 0, b = 0] = rgb;
  const bright = 0.299 * r + 0.587 * g + 0.114 * b >= 180; // as the UI decides
  return {base: {cssString: `rgb(${rgb.join(' ')})`}, textBase: {cssString: bright ? 'black' : 'white'}};
}

function hash(text: string, below: number): number {
  let h = 0x811c9dc5 & 0xfffffff;
  for (let i = 0; i < text.length; i++) h = ((h ^ text.charCodeAt(i)) * 16777619) & 0xffffffff;
  return Math.abs(h) % below;
}

// hsluv returns red, green and blue, from 0 to 255. The saturation is that part of the largest
// chroma for which the colour can be shown. Source: https://www.hsluv.org.
function hsluv(hue: number, saturation: number, lightness: number): number[] {
  let [least, most] = [0, 200];
  while (most - least > 1e-6) {
    const chroma = (least + most) / 2;
    if (linear(hue, chroma, lightness).every((part) => part >= 0 && part <= 1)) least = chroma;
    else most = chroma;
  }
  return linear(hue, least * saturation, lightness).map((part) =>
    Math.floor(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055)),
  );
}

// linear returns the linear parts of a colour of CIE LCh(uv), of a lightness above 8.
function linear(hue: number, chroma: number, lightness: number): number[] {
  const angle = (hue * Math.PI) / 180;
  const u = (chroma * Math.cos(angle)) / (13 * lightness) + 0.19783000664283681;
  const v = (chroma * Math.sin(angle)) / (13 * lightness) + 0.468319994938791;
  const y = ((lightness + 16) / 116) ** 3;
  const x = (9 * y * u) / (4 * v);
  const z = (9 * y - 15 * v * y - v * x) / (3 * v);
  return [
    3.240969941904521 * x - 1.537383177570093 * y - 0.498610760293 * z,
    -0.96924363628087 * x + 1.87596750150772 * y + 0.041555057407175 * z,
    0.055630079696993 * x - 0.20397695888897 * y + 1.056971514242878 * z,
  ];
}
