// Stylesheets are texts in the script.
declare module '*.scss' {
  const text: string;
  export default text;
}
declare module '*.css' {
  const text: string;
  export default text;
}
